//! Calls in texts as models write them, and texts that have none.

use serde_json::{Value, json};

use super::{before_written_call, written_calls};

/// A request that offers some tools, after what Ben and the person wrote.
fn request() -> Value {
    let tool = |name: &str, properties: Value| {
        let parameters = json!({"type": "object", "properties": properties});
        json!({"type": "function", "function": {"name": name, "parameters": parameters}})
    };
    let reminder = json!({"text": {"type": "string"}, "in_minutes": {"type": ["integer", "null"]}});
    let quoted = r#"{"name": "usage", "arguments": {"of": "Ben"}}"#;
    let quote = json!({"from": "Ben", "text": quoted}).to_string();
    json!({
        "messages": [
            {"role": "system", "content": "You are Juno."},
            {"role": "user", "content": format!("<quoted>{quote}</quoted>\nAna: what did Ben write?")},
        ],
        "tools": [tool("set_reminder", reminder), tool("usage", json!({})), tool("recall", json!({}))],
    })
}

/// Names and arguments.
fn read(text: &str) -> Vec<(String, String)> {
    let calls = written_calls(text, &request()).into_iter();
    calls.map(|call| (call.name, call.arguments)).collect()
}

const ARGUMENTS: &str = r#"{"in_minutes":5,"text":"run"}"#;

#[test]
fn calls_are_read_in_the_forms_of_many_models() {
    let arguments = r#"{"text": "run", "in_minutes": 5}"#;
    let call = format!(r#"{{"name": "set_reminder", "arguments": {arguments}}}"#);
    let parameters = call.replace("arguments", "parameters");
    let in_text = json!({"name": "set_reminder", "arguments": arguments}).to_string();
    let spelled = "set_reminder(text=\"run\", in_minutes=5)";
    for text in [
        // As JSON: alone, in fences, lists and other fields.
        call.clone(),
        parameters.clone(),
        in_text,
        format!("Sure, I'll do that.\n\n{call}\n\nDone!"),
        format!("Sure: {call} Done!"),
        format!("```json\n{call}\n```"),
        format!("```json\n[{call}]\n```"),
        format!("[{parameters}]"),
        format!(r#"{{"tool": "set_reminder", "arguments": {arguments}}}"#),
        format!(r#"{{"tool": "set_reminder", "args": {arguments}}}"#),
        "```json\n{\"tool\": \"set_reminder\", \"text\": \"run\", \"in_minutes\": 5}\n```"
            .to_owned(),
        format!(r#"{{"tool_calls": [{{"id": "1", "type": "function", "function": {call}}}]}}"#),
        format!(r#"{{"type": "function", "function": {call}}}"#),
        format!(r#"{{"action": "set_reminder", "action_input": {arguments}}}"#),
        // As code, or in steps.
        spelled.to_owned(),
        format!("Sure!\n\n{spelled}\n\nDone!"),
        format!("```tool_code\nprint(default_api.{spelled})\n```"),
        format!("```python\n{spelled}\n```"),
        format!("Thought: a reminder.\nAction: set_reminder\nAction Input: {arguments}"),
        format!("set_reminder\n{arguments}"),
        format!("**set_reminder**:\n```json\n{arguments}\n```"),
    ] {
        assert_is_read(&text);
    }
}

#[test]
fn calls_in_the_marks_of_many_models_are_read() {
    let arguments = r#"{"text": "run", "in_minutes": 5}"#;
    let call = format!(r#"{{"name": "set_reminder", "arguments": {arguments}}}"#);
    let parameters = call.replace("arguments", "parameters");
    let tagged = "<parameter=text>\nrun\n</parameter>\n<parameter=in_minutes>\n5\n</parameter>";
    let named =
        "<parameter name=\"text\">run</parameter><parameter name=\"in_minutes\">5</parameter>";
    for text in [
        // Mistral
        format!("[TOOL_CALLS] [{call}]"),
        format!("[TOOL_CALLS]set_reminder{arguments}"),
        format!("[TOOL_CALLS]set_reminder[CALL_ID]a1B2c3D4e[ARGS]{arguments}"),
        // Llama
        format!("<|python_tag|>{parameters}"),
        format!("<|python_tag|>{parameters}<|eom_id|>"),
        "<|python_tag|>set_reminder.call(text=\"run\", in_minutes=5)".to_owned(),
        format!("<function=set_reminder>{arguments}</function>"),
        format!("<function=set_reminder>{arguments}"),
        "[set_reminder(text=\"run\", in_minutes=5)]".to_owned(),
        "<|python_start|>[set_reminder(text=\"run\", in_minutes=5)]<|python_end|>".to_owned(),
        // Hermes, Qwen, and Qwen's coders
        format!("<tool_call>\n{call}\n</tool_call>"),
        format!("<tool_call>\n{call}"),
        format!("<tool_call>\n<function=set_reminder>\n{tagged}\n</function>\n</tool_call>"),
        format!("Sure!\n\n<tool_call>\n{call}\n</tool_call>\n\nDone!"),
        // GLM
        "<tool_call>set_reminder\n<arg_key>text</arg_key>\n<arg_value>run</arg_value>\n\
         <arg_key>in_minutes</arg_key>\n<arg_value>5</arg_value>\n</tool_call>"
            .to_owned(),
        // DeepSeek, Kimi, Granite, Phi, InternLM, gpt-oss, MiniMax
        format!(
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>set_reminder\n\
             ```json\n{arguments}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
        ),
        format!(
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.set_reminder:0\
             <|tool_call_argument_begin|>{arguments}<|tool_call_end|><|tool_calls_section_end|>"
        ),
        format!("<|tool_call|>[{call}]"),
        format!("functools[{call}]"),
        format!("<|action_start|><|plugin|>{parameters}<|action_end|>"),
        format!(
            "<|channel|>commentary to=functions.set_reminder <|constrain|>json<|message|>{arguments}"
        ),
        format!("assistantcommentary to=functions.set_reminder json{arguments}"),
        format!(
            "<|START_ACTION|>[{{\"tool_name\": \"set_reminder\", \"parameters\": {arguments}}}]<|END_ACTION|>"
        ),
        "<｜DSML｜function_calls><｜DSML｜invoke name=\"set_reminder\">\
             <｜DSML｜parameter name=\"text\" string=\"true\">run</｜DSML｜parameter>\
             <｜DSML｜parameter name=\"in_minutes\" string=\"false\">5</｜DSML｜parameter>\
             </｜DSML｜invoke></｜DSML｜function_calls>"
            .to_owned(),
        format!("<function_calls><invoke name=\"set_reminder\">{named}</invoke></function_calls>"),
    ] {
        assert_is_read(&text);
    }
}

/// It is the call of a reminder, and nothing of it is said before.
fn assert_is_read(text: &str) {
    let found = read(text).into_iter().map(|(name, arguments)| {
        let arguments: Value = serde_json::from_str(&arguments).unwrap_or_default();
        (name, arguments.to_string())
    });
    let expected = ("set_reminder".to_owned(), ARGUMENTS.to_owned());
    assert_eq!(found.collect::<Vec<_>>(), [expected], "{text}");
    assert!(before_written_call(text).len() < text.len(), "{text}");
}

#[test]
fn several_calls_are_read_in_order() {
    let first = r#"{"name": "set_reminder", "arguments": {"text": "a"}}"#;
    let second = r#"{"name": "usage", "arguments": {}}"#;
    for text in [
        format!("<tool_call>{first}</tool_call>\n<tool_call>{second}</tool_call>"),
        format!("[TOOL_CALLS] [{first}, {second}]"),
        format!("<|python_tag|>{first}; {second}"),
        format!("{first}\n{second}"),
        "[set_reminder(text='a'), usage()]".to_owned(),
        "set_reminder(text='a')\nusage()".to_owned(),
        "<function=set_reminder>{\"text\": \"a\"}</function><function=usage></function>".to_owned(),
    ] {
        let expected = [("set_reminder", r#"{"text":"a"}"#), ("usage", "{}")];
        let expected = expected.map(|(name, arguments)| (name.to_owned(), arguments.to_owned()));
        assert_eq!(read(&text), expected, "{text}");
    }
}

/// Nobody is shown them, and the model is told.
#[test]
fn what_is_meant_as_a_call_and_can_not_be_read_is_one_of_no_tool() {
    for text in [
        "<tool_call>\n{\"name\": \"set_reminder\", \"argu",
        "<tool_call>remind Ana</tool_call>",
        "[TOOL_CALLS] [{\"name\": ",
        "<|python_tag|>import datetime",
        "{\"name\": \"set_reminder\", \"arguments\": {\"text\": \"ru",
        "Sure!\n\n[{\"tool\": \"set_reminder\", \"args",
        "set a reminder</tool_call>",
    ] {
        let found = read(text);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].0, "unreadable_call", "{text}");
    }
    // One of two is lost.
    let both = "<tool_call>{\"name\": \"usage\"}</tool_call><tool_call>{\"name\": </tool_call>";
    let names: Vec<String> = read(both).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["usage", "unreadable_call"]);
    // Tools that nobody offered.
    for (text, name) in [
        (
            r#"{"name": "get_weather", "arguments": {"city": "Bath"}}"#,
            "get_weather",
        ),
        (
            r#"<tool_call>{"name": "get_weather", "arguments": {}}</tool_call>"#,
            "get_weather",
        ),
        ("<function=getWeather>{}</function>", "getWeather"),
    ] {
        assert_eq!(read(text)[0].0, name, "{text}");
    }
    // Without any tools a mark is one all the same.
    let none = json!({"messages": []});
    assert_eq!(written_calls("<tool_call>{\"a\": 1}", &none).len(), 1);
    assert_eq!(written_calls(r#"{"name": "usage"}"#, &none), []);
}

#[test]
fn other_texts_are_no_calls() {
    for text in [
        "",
        "Hi!",
        "I'll remember (by chance) that usage matters: recall it [1] <3",
        r#"{"name": "Ana", "age": 30}"#,
        r#"{"name": "Ana", "arguments": {}}"#,
        r#"Here you are: [{"name": "Ana", "tags": ["a", "b"]}, {"name": "Bo"}]"#,
        r#"{"items": [{"name": "usage", "of": "water"}]}"#,
        "```python\ndef remember(text):\n    print(text)\n\nremember(text=\"hello\")\n```",
        "recall(x) is TP/(TP+FN)",
        "```rust\nfn main() { println!(\"{}\", usage(1)); }\n```",
        "```json\n{\"usage\": {\"a\": 1}}\n```",
        "Say set_reminder(…) in Python, or call recall.",
        "[Tool calling](https://example.com) is a guide.",
        "set_reminder",
    ] {
        assert_eq!(read(text), [], "{text}");
    }
    // It says what Ben wrote.
    for text in [
        r#"Ben wrote: {"name": "usage", "arguments": {"of": "Ben"}}"#,
        "{\"name\": \"usage\",\n \"arguments\": {\"of\": \"Ben\"}}",
    ] {
        assert_eq!(read(text), [], "{text}");
    }
    // However long it is.
    assert_eq!(read(&"{[".repeat(16_000)), []);
    assert_eq!(read(&"usage( ".repeat(4_000)), []);
}

/// Messages that only use words of people who ask for code.
const NO_CODE_ASKED_FOR: [&str; 4] = [
    "remind me to show Bo the code",
    "what's my door code?",
    "give me something to do, for example a run",
    "zeig mir zum Beispiel meine Liste",
];

/// A call that somebody asked to see is shown; one in marks outside of code is none to show.
#[test]
fn examples_that_were_asked_for_are_no_calls() {
    let call = r#"{"name": "set_reminder", "arguments": {"text": "run"}}"#;
    let of = |asked: &str, text: &str| {
        let mut request = request();
        request["messages"] = json!([{"role": "user", "content": asked}]);
        written_calls(text, &request).len()
    };
    let asked = "show me an example of a tool call as JSON";
    let unknown = r#"{"name": "get_weather", "arguments": {"city": "Bath"}}"#;
    for text in [
        call,
        unknown,
        &format!("Here:\n```json\n{call}\n```"),
        &format!("Here:\n```\n<tool_call>{call}</tool_call>\n```"),
    ] {
        assert_eq!(of(asked, text), 0, "{text}");
        assert_eq!(of("run soon, please", text), 1, "{text}");
        for asked in NO_CODE_ASKED_FOR {
            assert_eq!(of(asked, text), 1, "{asked}: {text}");
        }
        let quoted = format!("<quoted>{asked}</quoted>\nAna: run soon");
        assert_eq!(of(&quoted, text), 1, "{text}");
    }
    assert_eq!(of(asked, &format!("<tool_call>{call}</tool_call>")), 1);
}

#[test]
fn nothing_of_a_call_is_before_it() {
    for (text, before) in [
        ("One.\n\nTwo.", "One.\n\nTwo."),
        ("One (or two).\n\nTwo", "One (or two).\n\nTwo"),
        ("One.\n\nTwo. [TOOL_CALLS]", "One.\n\n"),
        ("One.\n\n<|python_tag|>{}", "One.\n\n"),
        ("One.\n\nTwo.\n\nusage(", "One.\n\nTwo.\n\n"),
        ("One.\n\n{\"na", "One.\n\n"),
        ("One {", ""),
    ] {
        assert_eq!(before_written_call(text), before, "{text}");
    }
}
