//! A model of four tokens: what is read, what is refused, and that rubbish crashes nothing.

use proptest::prelude::*;
use serde_json::json;

use crate::{Embedder as _, ReadModelError, StaticModel};

fn tokenizer() -> Vec<u8> {
    let vocab = json!({"[UNK]": 0, "read": 1, "##er": 2, "mail": 3});
    let model = json!({"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": vocab});
    json!({"normalizer": {"lowercase": true}, "model": model})
        .to_string()
        .into_bytes()
}

fn safetensors(kind: &str, data: &[u8], rows: usize) -> Vec<u8> {
    let head =
        json!({"embeddings": {"dtype": kind, "shape": [rows, 2], "data_offsets": [0, data.len()]}});
    let head = head.to_string();
    let size = (head.len() as u64).to_le_bytes();
    [&size, head.as_bytes(), data].concat()
}

fn numpy(data: &[u8]) -> Vec<u8> {
    let head = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2), }\n";
    let size = u16::try_from(head.len()).expect("short").to_le_bytes();
    [
        b"\x93NUMPY\x01\x00".as_slice(),
        &size,
        head.as_bytes(),
        data,
    ]
    .concat()
}

fn rows() -> Vec<u8> {
    let rows: [f32; 8] = [9.0, 9.0, 1.0, 0.0, 0.0, 2.0, -0.5, 0.0];
    rows.iter().flat_map(|x| x.to_le_bytes()).collect()
}

#[test]
fn a_text_is_the_sum_of_its_known_pieces() {
    for matrix in [safetensors("F32", &rows(), 4), numpy(&rows())] {
        let model = StaticModel::read(&matrix, &tokenizer()).expect("a model");
        assert_eq!(model.dimensions(), 2);
        assert_eq!(model.embed("Reader, reád!"), [2.0, 2.0]);
        assert_eq!(model.embed("mail nobody readx"), [-0.5, 0.0]);
        assert_eq!(model.embed(""), [0.0, 0.0]);
    }
}

#[test]
fn numbers_of_sixteen_bits_are_read() {
    let halves: [u16; 8] = [0, 0, 0x3c00, 0xc000, 0x3800, 0x0001, 0, 0];
    let data: Vec<u8> = halves.iter().flat_map(|x| x.to_le_bytes()).collect();
    let model = StaticModel::read(&safetensors("F16", &data, 4), &tokenizer()).expect("a model");
    assert_eq!(model.embed("read"), [1.0, -2.0]);
    assert_eq!(model.embed("reader"), [1.5, -2.0 + 2.0_f32.powi(-24)]);
}

#[test]
fn files_that_do_not_fit_are_refused_with_the_reason() {
    let read = |matrix: &[u8], tokenizer: &[u8]| {
        StaticModel::read(matrix, tokenizer)
            .map(drop)
            .expect_err("refused")
    };
    let short = rows().split_off(8);
    let error = read(&safetensors("F32", &short, 3), &tokenizer());
    assert!(
        matches!(
            error,
            ReadModelError::Sizes {
                highest: 3,
                rows: 3
            }
        ),
        "{error}"
    );
    for matrix in [
        safetensors("F32", &short, 4),
        safetensors("BF16", &rows(), 4),
        numpy(&short),
    ] {
        assert!(matches!(
            read(&matrix, &tokenizer()),
            ReadModelError::Matrix { .. }
        ));
    }
    let unigram = br#"{"model": {"type": "Unigram", "vocab": []}}"#;
    let error = read(&numpy(&rows()), unigram);
    assert!(matches!(error, ReadModelError::Tokenizer { .. }), "{error}");
}

proptest! {
    #[test]
    fn rubbish_is_refused_and_any_text_has_a_vector(bytes in any::<Vec<u8>>(), cut in 0..200_usize, text in any::<String>()) {
        prop_assert!(StaticModel::read(&bytes, &tokenizer()).is_err());
        prop_assert!(StaticModel::read(&numpy(&rows()), &bytes).is_err());
        for whole in [safetensors("F32", &rows(), 4), numpy(&rows())] {
            let end = cut.min(whole.len() - 1);
            prop_assert!(StaticModel::read(&whole[..end], &tokenizer()).is_err());
        }
        let model = StaticModel::read(&numpy(&rows()), &tokenizer()).expect("a model");
        prop_assert_eq!(model.embed(&text).len(), 2);
    }
}
