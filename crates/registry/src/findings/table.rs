//! What the phrases are that tell, as a table.
//!
//! Patterns run over normalised text (`normal`): lower case, one blank between words, nothing unseen,
//! look-alikes as the ASCII letters that they pass for. They are automata without backtracking, and
//! every repetition is bounded. Written looking at half of the public sources; `docs/bench.md` tells
//! both halves apart. Honest descriptions are full of imperatives, so most phrases name a deed *and*
//! what makes it odd, and those that honest texts hold too count only where two different ones meet.

use super::FindingKind::{
    self, Covert, Exfiltration, Instruction, Markup, Priority, RoleMark, Secrecy,
};

/// The phrases of one kind.
pub(super) struct Family {
    pub(super) kind: FindingKind,
    /// What to say of a phrase, after it.
    pub(super) why: &'static str,
    /// Each tells alone.
    pub(super) alone: &'static [&'static str],
    /// Two of these, of any families, tell together.
    pub(super) together: &'static [&'static str],
}

/// Names in braces that patterns use, and what stands for them.
pub(super) const WORDS: &[(&str, &str)] = &[
    (
        "{SECRET}",
        r#"(?:~/\.[a-z]|\.ssh\b|\bid_(?:rsa|ed25519|dsa)\b|/etc/(?:passwd|shadow|sudoers)\b|\.aws/|\.kube/|\.gnupg\b|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials\b|(?:^|[ '"`(/])\.env\b|\bmcp\.json\b|\bcredentials\.json\b|_history\b|\bwallet\.dat\b|\blogin data\b|\bkeychain\b)"#,
    ),
    (
        "{SINK}",
        r"(?:https?://|ftp://|[a-z0-9._%+-]+@[a-z0-9-]+\.[a-z])",
    ),
    (
        "{OLD}",
        r"(?:all|any|every|everything|of|the|your|my|our|their|its|these|those|other|previous|previously|prior|above|earlier|preceding|existing|original|initial|former|past|given|received|system|safety|developer|security|default)",
    ),
    (
        "{ORDERS}",
        r"(?:instructions?|rules?|prompts?|guidelines?|directives?|commands?|orders?|restrictions?|constraints?|training|programming|guardrails?|safeguards?|polic(?:y|ies))",
    ),
    (
        "{MODEL}",
        r"(?:ai|llms?|language models?|assistants?|gpt(?:-[0-9a-z.]+)?|claude|chatgpt|copilot|gemini|ai (?:agents?|models?|assistants?))",
    ),
];

pub(super) const FAMILIES: &[Family] = &[
    Family {
        kind: Markup,
        why: "is read by models and not shown by pages",
        alone: &[
            r"<!--",
            r"<!\[cdata\[",
            r"</? ?(?:important|system|system[-_ ](?:message|prompt|reminder|note|instructions?)|instructions?|hidden|secret|critical|information|override|admin|developer|assistant|inst|sys|prompt|injection|urgent|directive|priority|mandatory)(?: [^<>]{0,60})?/?>",
            r"<[a-z]+ [^<>]{0,200}(?:display ?: ?none|visibility ?: ?hidden|font-size ?: ?0|opacity ?: ?0(?:[^.0-9]|\.0)|color ?: ?(?:#fff|white|transparent)|aria-hidden|\bhidden\b)[^<>]{0,200}>",
            r"<(?:script|iframe|object|embed|svg|style|template|noscript)\b[^<>]{0,200}>[^<>]{0,400}</(?:script|iframe|object|embed|svg|style|template|noscript)>",
            r#"<[a-z]+ [^<>]{0,200}\b(?:on(?:load|error|click|mouseover|focus) ?=|src ?= ?["']?(?:https?:|//|data:)|srcdoc ?=|href ?= ?["']?javascript:)"#,
            r"!\[[^\]]{0,80}\]\( ?(?:https?:)?//[^)]{0,200}\)",
        ],
        together: &[],
    },
    Family {
        kind: RoleMark,
        why: "sets off a turn or a role in prompts",
        alone: &[
            r"<\|",
            r"\[/?(?:inst|sys|system|assistant)\]|<</?sys>>|</?(?:start|end)_of_turn>|<(?:bos|eos|endoftext)>|</s> ?<s>",
            r"</?(?:tool_call|tool_calls|tool_response|tool_result|function_calls?|function_results?|tool_use)>",
            r#"["']role["'] ?: ?["'](?:system|assistant|developer)["']"#,
            r"\[?\b(?:end|begin|start) of (?:the )?(?:system |user |tool |previous )?(?:prompt|instructions?|context|conversation|tool (?:output|result|description))\b",
            r#"(?:^|[.!?\]>)"'`*] ?)(?:#+ ?|\*+ ?|\[ ?|-+ ?|=+ ?)?(?:system|assistant|human|developer|admin|administrator)(?: (?:message|prompt|note|notice|override|instructions?|alert|update))?(?: ?\])?(?:\*+)? ?: "#,
            r"(?:#{2,} ?|-{3,} ?|={3,} ?)(?:new |updated )?(?:system|instructions?|assistant|human)\b ?(?:prompt|message|instructions?)?",
        ],
        together: &[],
    },
    Family {
        kind: Instruction,
        why: "speaks to the model that reads it",
        alone: &[
            r"\b(?:ignore|disregard|forget|override|overrule|discard|bypass|neglect|abandon|drop)(?: {OLD}){1,6} {ORDERS}\b",
            r"\b(?:ignore|disregard|forget)(?: all| everything| anything)?(?: of)?(?: the| that| what)? ?(?:above|previous|prior|preceding|everything|came before|you were told)\b",
            r"\b(?:new|updated|real|actual|true|revised|hidden|secret) (?:instructions?|directives?|orders)(?: (?:are|is))? ?:",
            r"\b(?:you are|you're|you will be) (?:now|no longer|going to|from now on)\b[^.]{0,30}\b(?:act|be|pretend|an?|in|the|bound|dan|behave|respond)\b",
            r"\bfrom now on\b[^.]{0,40}\b(?:you|act|respond|answer|always|never|every|all)\b",
            r"\bfor the rest of (?:this|the) (?:conversation|session|chat)\b",
            r"\b(?:jailbreak|do anything now|developer mode|dan mode|god mode|unrestricted mode|jailbroken)\b",
            r"\b(?:dear|hey|hi|hello|attention|note (?:to|for)|(?:important )?message (?:to|for|from)[^.]{0,40}\bto|instructions? (?:to|for)|reminder (?:to|for)|to you,?|notice (?:to|for))(?: the| any| all)? ?{MODEL}\b",
            r"\b{MODEL} (?:reading|processing|that reads?|who reads?|seeing) this\b|\bif you are an? {MODEL}\b|\bas an? {MODEL},? you (?:must|should|will|are)\b",
            r"\bdecode (?:it |this |and |then |the following )*(?:and |then )?(?:follow|execute|run|obey|comply|apply|act)\b|\b(?:decode|decrypt|unscramble)\b[^.]{0,40}\b(?:and|then) (?:follow|execute|run|obey|comply|do)\b|\b(?:base64|rot13|hex)[- ]?(?:encoded|decode)?[^.]{0,30}\b(?:instructions?|commands?|directives?)\b",
            r"\b(?:before|until|unless) you (?:can |may |do |have )?(?:solve|answer|respond|reply|complete|finish|continue|proceed)[^.]{0,60}\b(?:please|first|must|you must|do the following)\b",
            r"\bbefore (?:replying|responding|answering|delegating|continuing|proceeding|completing)\b[^.]{0,60}\b(?:call|send|read|run|forward|ignore|post|fetch|include|execute|upload|invoke)\b",
            r"\b(?:instead,? (?:do|follow|perform|execute)|do) the following(?: instead| first)\b|\binstead, do the following\b",
            r"\bnow (?:call|invoke|run|execute) [a-z]+_[a-z_]+\b|\bthen (?:call|invoke|run|execute) [a-z]+_[a-z_]+ with\b",
            r"\b(?:pretend|act|behave|respond|roleplay|role-play) (?:to be|as|like|exactly as)(?: if)? (?:an? |the |you )?(?:unrestricted|unfiltered|evil|uncensored|jailbroken|dan\b|were|are|have no|admin|root|different|another)",
            r"\bwithout (?:any )?(?:restrictions|filters?|limitations|censorship|safety)\b[^.]{0,20}(?:\.|$|and)|\b(?:no|not bound by|free from|freed from) (?:any )?(?:rules|restrictions|ethical|moral|content polic|guidelines|typical confines)",
            r"\b(?:regardless of|no matter|even if|even when|irrespective of|despite)(?: of)?(?: what| which| whatever)?(?: the)? (?:users?|caller|human|customer|person)(?:'s)? ?(?:asks?|says?|requests?|specif|provid|wants?|enter|input|instruct|object|refus|declin|told|gave|choice|preference)",
            r"\b(?:silently|quietly|secretly|automatically and silently) (?:set|change|replace|overwrite|add|append|include|send|copy|forward|modify|alter|swap|insert|redirect|run|execute|call|read|drop)\b",
            r#"\b(?:set|change|replace|overwrite|override|swap|substitute|rewrite|redirect)\b[^.]{0,40}\b(?:recipients?|destination|payee|iban|account(?: number)?|beneficiary|wallet|email address|to address|callback|webhook|endpoint|host)\b[^.]{0,30}\b(?:to|with|by) ['"`]?(?:https?://|[a-z0-9._%+-]+@[a-z0-9-]+\.[a-z]|[a-z]{2}[0-9]{8,}|0x[0-9a-f]{8,}|attacker|evil)"#,
        ],
        together: &[
            r"\b(?:always|must|should|first) (?:be )?(?:set|changed?|replaced?|overwr|add|append|fill|override|overridden|prefix|prepend|multipl|round)",
            r"\binstead of the (?:one|value|address|path|account|recipient|user)\b|\b(?:the user|caller) (?:provided|specified|gave|typed|entered|asked for)\b",
        ],
    },
    Family {
        kind: Secrecy,
        why: "asks to keep something from the user, or to do without them",
        alone: &[
            r"\b(?:do not|don't|never|must not|should not|shouldn't|cannot|not to|no need to|avoid|refrain from) (?:ever )?(?:mention(?:ing)?|tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|bring(?:ing)?|disclos(?:e|ing)|reveal(?:ing)?|report(?:ing)?|ask(?:ing)?|let(?:ting)?|show(?:ing)?|display(?:ing)?|surface|log|explain(?:ing)?|warn(?:ing)?|discuss(?:ing)?|acknowledg(?:e|ing)|share|confirm(?:ing)?)(?: (?:any of|about|anything|of|this|that|it|these|them|to))* ?(?:the )?(?:users?|human|person|customer|operator|owner|anyone|them|up)\b",
            r"\b(?:do not|don't|never) mention (?:this|it|that|these|any of)\b",
            r"\b(?:without|not) (?:telling|informing|notifying|alerting|asking|letting|mentioning|prompting|disclosing)[^.]{0,30}\b(?:me|user|users|human|owner|anyone|permission|confirmation|know)\b",
            r"\bwithout (?:the )?(?:user|users|user's|owner's|anyone|their|people|human)(?:'s)? (?:knowledge|knowing|noticing|awareness|seeing)\b",
            r"\b(?:keep|hide|conceal) (?:this|it|that|these|the following)(?: [a-z0-9_']+)? ?(?:secret|hidden|confidential|from (?:the )?(?:user|human|owner)|to yourself|between us|silent|quiet)",
            r"\b(?:user|users|customer|owner|human|operator) (?:has|have|had)? ?already (?:been )?(?:consent|approv|agree|authori[sz]|confirm|grant|accept|given)",
            r"\buser (?:should|must|need|does|do|will|can)(?: not|n't|not) (?:need to )?(?:know|see|be (?:told|informed|notified|aware|asked))",
        ],
        together: &[
            r"\bwithout (?:the )?(?:users?|user's|owner's|anyone's|their)(?:'s)? (?:consent|approval|permission|explicit)",
            r"\b(?:silently|quietly|discreetly|in the background|behind the scenes|secretly)\b",
            r"\b(?:internal|mere) (?:implementation )?detail\b",
        ],
    },
    Family {
        kind: Exfiltration,
        why: "asks to pass something on that is none of the tool's business",
        alone: &[
            r"\bside[-_]?note\b",
            r"\b(?:read|open|load|cat|access|fetch|get|include|attach|pass|send|upload|append|supply|copy|dump|share|contents? (?:of|from|in)|values? (?:of|from|in))\b[^.]{0,60}{SECRET}",
            r"{SECRET}[^.]{0,80}\b(?:be (?:supplied|passed|included|sent|provided|attached|appended|uploaded|forwarded)|and (?:pass|send|include|upload|attach|append|return|put|use|forward|post|share|provide)|into|as (?:the|a|an|part))\b",
            r"\b(?:send|sends|sent|forward|forwards|forwarded|post|posts|posted|upload|uploads|uploaded|exfiltrate|transmit|transmits|transmitted|report|reported|deliver|delivered|submit|submitted|copy|copied|mirror|mirrored|relay|relayed|leak|share|email|mail|pass|append|ship)\b[^.]{0,60}\b(?:conversations?|chat|history|credentials?|api keys?|keys?|contents?|outputs?|secrets?|tokens?|contexts?|passwords?|messages|emails|files|code|prompts?|everything|sensitive|personal|private|it|them|results?)\b[^.]{0,60}\b(?:to|at|via) (?:the )?(?:url |address |server |endpoint )?{SINK}",
            r"\b(?:output|result|results|response|contents?|conversation|data|arguments?|parameters?)\b[^.]{0,20}\b(?:must|has to|have to|should|needs? to|is to|are to|shall) (?:also )?be (?:forwarded|sent|posted|uploaded|copied|relayed|reported|transmitted|mirrored|submitted)\b",
            r"\b(?:full|entire|whole|complete|raw|all)(?: [a-z0-9_']+)? (?:conversation|chat|prompt|system prompt|context|message history)(?: history| so far| log)?\b[^.]{0,60}\b(?:to|in|into|as|with)\b",
            r"\bconversation so far\b|\b(?:users?|user's) (?:full|entire|private|personal|complete|saved) (?:conversation|notes|chat|messages|data|files)\b[^.]{0,60}\b(?:to|send|include)\b",
            r"\b(?:reveal|print|output|repeat|show|send|include|leak|return|disclose|dump|append)\b[^.]{0,40}\b(?:system prompt|your (?:instructions|prompt|rules)|initial prompt|hidden prompt|instructions above)\b",
            r"\b(?:always|must|also)(?: also)? (?:bcc|cc)\b|\b(?:bcc|cc) (?:the |every |all |each )?(?:email|message|it|to)? ?[a-z0-9._%+-]+@",
            r"\ball (?:outgoing |future |subsequent )?(?:emails?|messages?|requests?|payments?|transactions?|transfers?|files?|outputs?|calls?|data|queries)\b[^.]{0,20}\b(?:must|should|have to|need to|are to|will|shall)\b[^.]{0,40}\b(?:be )?(?:sent|go|copied|routed|forwarded|redirected|cc|bcc|proxied)\b|\bmust send all\b",
            r"\b169\.254\.169\.254\b|\bmetadata\.google\.internal\b|\b(?:webhook\.site|requestbin|ngrok\.io|burpcollaborator|interact\.sh|oastify)\b",
        ],
        together: &[
            r"{SECRET}",
            r#"\b(?:send|sent|forward|forwarded|post|posted|upload|uploaded|transmit|relay|bcc|cc|copy|call|fetch)\b[^.]{0,80}\b(?:to|at|on|url|bcc|cc) (?:url )?['"]?{SINK}"#,
            r#"\b(?:pass|put|place|supply|supplied|passed|include|included|provide|provided|attach|copy|append)\b[^.]{0,60}\b(?:as|in|into|to|via|under) (?:the |a |an )?['"`]?[a-z_]+['"`]? ?(?:parameter|argument|field|arg)\b"#,
            r"\b(?:obtain|read|collect|gather|fetch) (?:them|it|these|those)(?: first)?\b",
            r"\b(?:telemetry|tracking|audit|diagnostics?|analytics) (?:token|id|endpoint|server|data)\b",
        ],
    },
    Family {
        kind: Priority,
        why: "speaks of other tools, or claims to come before them",
        alone: &[
            r"\b(?:never|do not|don't|avoid|stop|must not) (?:use|using|call|calling|invoke|invoking|trust|trusting)\b[^.]{0,40}\b(?:or |and )?(?:any|all|every)(?: of the)? (?:other|alternative|similar|competing)(?: [a-z0-9_']+)? (?:tools?|functions?|servers?|plugins?)\b",
            r"\b(?:other|competing|alternative|similar|they|those|these)(?: [a-z0-9_']+)?(?: tools?)? (?:are|is|have been|has been|were) (?:all |now )?(?:deprecated|obsolete|unsafe|broken|insecure|compromised|disabled|unreliable|outdated|malicious|dangerous)(?: and | or )",
            r#"\b(?:calls?|requests?|arguments?|invocations?|inputs?) (?:to|of|for) (?:the )?['"`]?[a-z]+_[a-z_]+['"`]?(?: tool)? (?:must|should|have to|need to|has to|shall|are to|always|also)\b"#,
            r"\bfor (?:any|every|all|each) (?:other |following )(?:tools?|functions?)\b",
            r#"\b(?:before|after|when|whenever|each time|every time) (?:you )?(?:call|calling|use|using|invoke|invoking|run|running) (?:the )?['"`]?[a-z]+_[a-z_]+['"`]?(?: tool)?,? (?:you must|first|always|also|silently|read|send|include|add|set|append|replace)\b"#,
            r"\bonly (?:approved|authori[sz]ed|trusted|official|sanctioned|permitted|safe|secure|legitimate)(?: and [a-z0-9_']+)? (?:tool|function|server|plugin|way|method|option)\b",
            r"\b(?:before|over|instead of|prior to|in place of|ahead of|regardless of) (?:any|all|every|using any)(?: of the)? (?:other |another )(?:tools?|functions?|servers?|plugins?|calls?)\b",
            r"\bwhen(?:ever)? [a-z]+_[a-z_]+ (?:tool )?(?:is|gets) (?:called|used|invoked|available)\b[^.]{0,40}\b(?:always|must|also|instead|change|replace|set|add|include)\b",
        ],
        together: &[
            r"\b(?:must|always|shall|has to|needs to|should) (?:always )?be (?:called|used|invoked|run|executed|loaded)\b[^.]{0,30}\b(?:first|before|prior|every|always|each)\b",
            r"\b(?:always|must|first) (?:call|use|invoke|prefer|choose|select|run) (?:this|the)\b",
            r"\b(?:before|when|whenever|after|prior to) (?:using|calling|invoking|running|you (?:use|call|invoke|run))(?: (?:this|the|any|another|other|that))?(?: [a-z0-9_']+)? (?:tools?|functions?)\b",
            r"\bside effects? on\b|\bwhen this tool is (?:available|loaded|installed|enabled|present|used|called)\b|\b[a-z]+_[a-z_]+ tool (?:must|should|has to|needs)\b|\bwhen(?:ever)? [a-z]+_[a-z_]+ (?:is|gets) (?:called|used|invoked)\b",
            r"\b(?:otherwise|or else|or)\b[^.]{0,25}\b(?:tool|function|application|app|request|call|server|system|operation)s? (?:will|won't|cannot|can't|may)(?: not| be| always)?(?: [a-z0-9_']+)? ?(?:work|crash|fail|fails|break|rejected|lost|blocked|function)?\b",
            r"\b(?:very ){2,}important\b|\bthis is (?:very |extremely |absolutely )?(?:important|critical|mandatory)\b|\bimportant ?!{2,}",
            r"\bfor (?:compatibility|compliance|security|authentication|verification|safety|legal|caching|audit|technical) (?:reasons?|purposes?)\b|\brequired for (?:authentication|compliance|security|verification)\b|\bto prevent proxying\b",
        ],
    },
    Family {
        kind: Covert,
        why: "speaks of acting unseen",
        alone: &[
            r"\bwithout (?:leaving (?:any |a )?traces?|(?:being )?(?:detected|detection|noticed|caught)|(?:proper |any |prior |due )?authori[sz]ation|raising (?:any )?(?:suspicion|alarms?))\b",
            r"\b(?:avoid(?:ing)?|evad(?:e|es|ing)|escap(?:e|es|ing)) (?:any )?detection\b|\bwithout (?:alerting|anyone noticing)\b|\b(?:remain|remains|go|goes) (?:unnoticed|hidden|undetected)\b",
            r"\b(?:discreetly|deliberately (?:caus|harm|mislead|damag|disrupt|introduc|corrupt)|maliciously|illicit(?:ly)?|hijack(?:s|ing)?|backdoor|keylog(?:ger|ging)?|ransomware)\b",
            r"\b(?:undetected|covertly|surreptitious(?:ly)?|stealthily|clandestine(?:ly)?)\b",
            r"\b(?:bypass|evade|circumvent|disable|defeat)(?:es|s|ing)?\b[^.]{0,20}\b(?:security|authentication|detection|safety|monitoring|audit|guardrails?|approval|oversight|compliance)(?: [a-z0-9_']+)?\b",
        ],
        together: &[
            r"\b(?:steal|sabotage|exfiltrate|blackmail|embezzle|falsify|tamper|sabotaging|stealing|eavesdrop)\b",
        ],
    },
];
