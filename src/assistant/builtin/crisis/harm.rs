//! What people say who may hurt somebody, or are afraid to, and who have a panic attack, in the
//! notation of `grammar`.

use super::CrisisKind::{HarmToOthers, Panic};
use super::pattern_set::{PatternSet, context::*};

pub(super) const HARM: [PatternSet; 3] = [
    PatternSet {
        kind: HarmToOthers,
        language: "en",
        yields_to: 0,
        patterns: SOON,
    },
    PatternSet {
        kind: HarmToOthers,
        language: "en",
        yields_to: LAUGHTER | FICTION | REQUEST,
        patterns: TO_OTHERS,
    },
    PatternSet {
        kind: Panic,
        language: "en",
        yields_to: LAUGHTER | FICTION | REQUEST | PAST,
        patterns: PANIC,
    },
];

/// When, or with what, was said.
const SOON: &[&str] = &[
    "I .. going|about|might|could|tempted|planning|urge|will to|of? hurt|harm|hurting|harming|smother|strangle|drown|shake|stab my|the|our|a? CHILD|someone|somebody|wife|husband|mother|father $|ON|if|tonight|when",
    "I .. going|about|tempted|planning|urge|want|will to? hurt|harm|kill|stab|shoot|murder|strangle him|her|them|my|the|these|someone|people NEAR|CHILD? tonight|tomorrow|today|in_his|in_her|with_a|with_my|and_then|before_he|before_she|for_real|and_myself",
    "AFRAID .. i am|will|might|could|may going_to? hurt|harm|shake|kill .. CHILD|someone|somebody",
];

const TO_OTHERS: &[&str] = &[
    // To kill is also said in anger: not of "him", and not "if he eats my pizza".
    "I .. going|about|tempted|planning|plan|urge|want|need|decided|ready to? SLAY my|our|the|his|her|that|this|a? big|little|older|younger|own|baby|ex? NEAR|CHILD|wife|husband|boss|someone|somebody|people|everyone|everybody $|SOON|with_a|in_his|in_her|and_myself",
    "I will|might SLAY my|our|the|his|her|that? big|little|older|younger|own|baby|ex? NEAR|CHILD|someone|somebody|people $|SOON|with_a|in_his|in_her|and_myself",
    "I .. want|planning|plan|urge|decided to? SLAY him|her|them $|SOON",
    "I .. going|about|tempted|planning|plan|urge|want|need|ready to? hurt|harm|injure|beat_up|attack my|our|the|his|her|that? big|little|older|younger|own|baby|ex? NEAR|CHILD|someone|somebody|people|others|everyone|him|her|them|other_people $|SOON|badly|so_bad|so_badly",
    "I will|might|may|could hurt|harm|injure my|our|the? own|baby? NEAR|CHILD|someone|somebody|people|others $|SOON",
    "AFRAID|worried of|about|to HARM my|our|the|other? own|baby? NEAR|CHILD|someone|somebody|people|others|him|her|them $|SOON",
    "AFRAID|worried .. i am|will|might|could|may going_to? HARM my|our|the|other? own|baby? NEAR|CHILD|someone|somebody|people|others|him|her|them $|SOON",
    "thoughts|thought|urge|urges|thinking|fantasies|fantasy|impulse|impulses|dreams of|about|to HARM .. NEAR|CHILD|someone|somebody|people|others|him|her|them|everyone",
    "FEEL like HARM my|our|the|other? own|baby? NEAR|CHILD|someone|somebody|people|others|him|her|them|everyone",
    "I .. not stop|control hitting|hurting|beating|shaking|myself_and_hit|myself_and_hurt my|our|the? own|baby? CHILD|wife|husband|girlfriend|boyfriend",
    "I hit|slapped|punched|choked|shook my|our|the? own|baby? CHILD|wife|husband|girlfriend|boyfriend|partner $|and|again|so|hard|badly|last_night|tonight|today|yesterday|in_the_face",
    "I .. going|about|planning|plan|want|urge|will to? shoot|shooting|blow|blowing|burn|bomb up|down my|the|our|a? school|class|office|church|mall|university|workplace|campus|house_with|everyone",
    "I .. going|about|planning|plan|want|urge|will to? SLAY everyone|everybody|people|them_all|all_of_them at|in my|the? school|class|office|church|mall|university|workplace|campus|work",
];

const PANIC: &[&str] = &[
    "I|NEAR|CHILD|WHO .. having|have|has|getting|get|got|had|another a|an|another|bad|huge|my? panic|anxiety attack|attacks",
    "panic|anxiety attack|attacks right_now|now|help|again|please|coming|and_i",
    "< panic|anxiety attack >",
    "< a panic|anxiety attack >",
    "panic|anxiety attack .. not stop|breathe|calm_down",
];
