//! Golden texts, and texts that would like to be more than texts.

use expect_test::expect;
use serde_json::json;

use super::{to_markdown, to_mermaid};
use crate::plan::{Effects, Plan};

fn plan(document: serde_json::Value) -> Plan {
    serde_json::from_value(document).unwrap()
}

fn sample() -> Plan {
    plan(json!({
        "format": "assent.plan/1", "id": "p1", "version": 1, "sessionId": "c1",
        "title": "Count patent lines", "refinedTask": "Count lines that mention patents, write a table",
        "extractedContext": {"out": "patents.md", "limits": [1, 2]},
        "steps": [
            {"id": "s1", "description": "Count the lines", "requiredTools": ["grep"], "expectedOutcome": "a count for each file",
             "executor": {"kind": "specialist", "id": "workspace"}},
            {"id": "s2", "description": "Compare them", "dependencies": ["s1"]},
            {"id": "s3", "description": "Find a chart tool", "stepType": "tool", "dependencies": ["s1", "s2"],
             "executor": {"kind": "agent", "id": "chart"}}
        ]
    }))
}

#[test]
fn a_plan_is_readable_markdown() {
    let effects = Effects {
        reads: [".".to_owned()].into_iter().collect(),
        writes: ["patents.md".to_owned()].into_iter().collect(),
        network: true,
        hosts: ["example.com".to_owned()].into_iter().collect(),
        commands: true,
        destructive: ["drop_all".to_owned()].into_iter().collect(),
        open: vec!["s3".into()],
    };
    expect![[r#"
        # Count patent lines

        **Task:** Count lines that mention patents, write a table

        ## Context

        - out: `patents.md`
        - limits: `[1,2]`

        ## Steps

        1. **s1** Count the lines
           - by: workspace
           - tools: `grep`
           - outcome: a count for each file
        2. **s2** Compare them
           - no tools
           - after: s1
        3. **s3** Find a chart tool
           - by: agent chart
           - tools: looked for when it runs
           - after: s1, s2

        ## What it may do

        - may read: the whole workspace
        - may write: `patents.md`
        - network: `example.com`
        - commands: in the sandbox, without network
        - asks each time for: `drop_all`
        - looks for a tool, and asks before any effect: s3
    "#]]
    .assert_eq(&to_markdown(&sample(), Some(&effects)));
}

#[test]
fn a_plan_is_a_flowchart() {
    expect![[r#"
        flowchart TD
            n0["s1 Count the lines<br/>grep"]
            n1("s2 Compare them")
            n2["s3 Find a chart tool"]
            n0 --> n1
            n0 --> n2
            n1 --> n2
    "#]]
    .assert_eq(&to_mermaid(&sample()));
}

#[test]
fn hostile_texts_stay_texts() {
    let text = "x\"]; click n0 \"javascript:alert(1)\"\n%%{init}%% `<img src=x>` [a](https://evil.test) **b** | #quot; \u{202e}";
    let hostile = plan(json!({
        "format": "assent.plan/1", "id": "p", "version": 1, "sessionId": "c", "title": format!("# {text}"),
        "extractedContext": {text: format!("``{text}")},
        "steps": [{"id": "1. - s\"]", "description": text, "requiredTools": [text], "dependencies": ["1. - s\"]", "no"]}]
    }));
    expect![[r#"
        flowchart TD
            n0["1. - s#34;#93; x#34;#93;#59; click n0 #34;javascript:alert#40;1#41;#34; #37;#37;#123;init#125;#37;#37; #96;#60;img src#61;x#62;#96; #91;a#93;#40;https…<br/>x#34;#93;#59; click n0 #34;javascript:alert#40;1#41;#34; #37;#37;#123;init#125;#37;#37; #96;#60;img src#61;x#62;#96; #91;a#93;#40;https://evil.t…"]
            n0 --> n0
    "#]]
    .assert_eq(&to_mermaid(&hostile));
    expect![[r##"
        # \# x"\]; click n0 "javascript:alert(1)" %%{init}%% \`\<img src=x>\` \[a\](https:\//evil.test) \*\*b\*\* \| #quot;

        ## Context

        - x"\]; click n0 "javascript:alert(1)" %%{init}%% \`\<img src=x>\` \[a\](https:\//evil.test) \*\*b\*\* \| #quot;: ``` ``x"]; click n0 "javascript:alert(1)" %%{init}%% `<img src=x>` [a](https://evil.test) **b** | #quot; ```

        ## Steps

        1. **1\. - s"\]** x"\]; click n0 "javascript:alert(1)" %%{init}%% \`\<img src=x>\` \[a\](https:\//evil.test) \*\*b\*\* \| #quot;
           - tools: `` x"]; click n0 "javascript:alert(1)" %%{init}%% `<img src=x>` [a](https://evil.test) **b** | #quot; ``
           - after: 1\. - s"\], no
    "##]].assert_eq(&to_markdown(&hostile, None));
}
