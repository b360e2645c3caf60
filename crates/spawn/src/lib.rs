//! tipstaff: the spawn tool and the execution of its commands.
