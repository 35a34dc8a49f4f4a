use super::*;

fn rule(text: &str) -> Rule {
    parse("hello", text).expect(text).expect("a rule")
}

fn offer(host: &str, zone: Option<&str>, attributes: &[(&str, &str)]) -> OfferFacts {
    OfferFacts {
        hostname: host.into(),
        agent: format!("agent-{host}").into(),
        attributes: attributes.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        region: zone.map(|_| "r".into()),
        zone: zone.map(Into::into),
        master_region: Some("r".into()),
    }
}

/// `hello-0-server@host-1 zone rack`
fn tasks(texts: &[(&str, &str)]) -> Vec<StoredTaskFacts> {
    texts
        .iter()
        .map(|(name, place)| {
            let (pod_instance, _) = name.rsplit_once('-').expect("a task name");
            let (pod, index) = pod_instance.rsplit_once('-').expect("a pod name");
            let place: Vec<&str> = place.split(' ').collect();
            StoredTaskFacts {
                name: (*name).into(),
                pod: pod.into(),
                index: index.parse().expect("an index"),
                hostname: place[0].into(),
                agent: format!("agent-{}", place[0]).into(),
                zone: place.get(1).map(|zone| (*zone).into()),
                region: place.get(1).map(|_| "r".into()),
                attributes: place.get(2).map(|rack| ("rack".into(), (*rack).into())).into_iter().collect(),
            }
        })
        .collect()
}

#[test]
fn the_three_notations() {
    let unique = Rule::MaxPer { key: Key::Hostname, max: 1, pod: "hello".into() };
    let spread =
        Rule::RoundRobin { key: Key::Attribute("rack".into()), distinct: Some(3), pod: "hello".into() };
    for (text, want) in [
        (r#"["hostname", "UNIQUE"]"#, unique.clone()),
        (r#"[["hostname", "UNIQUE"]]"#, unique.clone()),
        ("hostname:UNIQUE", unique.clone()),
        ("@hostname:unique", unique.clone()),
        (" hostname : UNIQUE ", unique.clone()),
        (
            r#"[["hostname","UNIQUE"],["rack","GROUP_BY","3"]]"#,
            Rule::And(vec![unique.clone(), spread.clone()]),
        ),
        (r#"[["hostname","UNIQUE"],["rack","GROUP_BY",3]]"#, Rule::And(vec![unique.clone(), spread.clone()])),
        ("hostname:UNIQUE,rack:GROUP_BY:3", Rule::And(vec![unique, spread])),
        (r"@zone:IS:a\:b\,c", Rule::Zone(Matcher::Exact("a:b,c".into()))),
        ("zone:IS_NOT:z", Rule::Not(Box::new(Rule::Attribute("zone".into(), Matcher::Exact("z".into()))))),
    ] {
        assert_eq!(rule(text), want, "{text}");
    }
    for nothing in ["", "[]"] {
        assert_eq!(parse("hello", nothing), Ok(None), "{nothing:?}");
    }
}

#[test]
fn refusals() {
    for (text, kind, words) in [
        ("hostname", ParseErrorKind::Arity, "Expected 2 or 3, got 1"),
        (r#"[["a","IS","b","c"]]"#, ParseErrorKind::Arity, "got 4"),
        (r#"[["hostname","UNIQE"]]"#, ParseErrorKind::Operator, "Unsupported operator: 'UNIQE'"),
        (
            r#"["hostname","LIKE"]"#,
            ParseErrorKind::Parameter,
            "Missing required parameter for operator 'LIKE'",
        ),
        (r#"["hostname","CLUSTER"]"#, ParseErrorKind::Parameter, "'CLUSTER'"),
        (r#"["hostname","MAX_PER","many"]"#, ParseErrorKind::Parameter, "as integer"),
        (r#"["hostname","MAX_PER","0"]"#, ParseErrorKind::Parameter, "as integer"),
        (r#"["hostname","GROUP_BY","x"]"#, ParseErrorKind::Parameter, "as integer"),
        (r#"["hostname","LIKE","("]"#, ParseErrorKind::Regex, "not a regular expression"),
        (r#"["hostname","LIKE","a{1000}{1000}{1000}"]"#, ParseErrorKind::Regex, "not a regular expression"),
        ("[[\"hostname\"", ParseErrorKind::Arity, "got 1"),
    ] {
        let error = parse("hello", text).expect_err(text);
        assert_eq!(error.kind, kind, "{text}");
        assert!(error.message.contains(words), "{text}: {}", error.message);
    }
    assert!(parse("hello", "hostname:UNIQE").expect_err("typo").help.contains("UNIQUE"));
}

/// Rule, offer, stored tasks, index of the pod instance, whether it passes, words of the reason.
type Case<'t> = (&'t str, OfferFacts, &'t [StoredTaskFacts], u32, bool, &'t str);

#[test]
fn evaluation() {
    let two = tasks(&[("hello-0-server", "h1 z1 r1"), ("hello-0-side", "h1 z1 r1")]);
    let spread = tasks(&[
        ("hello-0-server", "h1 z1 r1"),
        ("hello-1-server", "h2 z2 r2"),
        ("hello-2-server", "h3 z1 r1"),
    ]);
    let cases: &[Case<'_>] = &[
        ("hostname:UNIQUE", offer("h1", None, &[]), &[], 0, true, "0 of at most 1"),
        ("hostname:UNIQUE", offer("h1", None, &[]), &two, 1, false, "hello-0-server"),
        ("hostname:UNIQUE", offer("h2", None, &[]), &two, 1, true, ""),
        ("hostname:UNIQUE", offer("h1", None, &[]), &two, 0, true, "has 0 of at most 1"),
        ("hostname:MAX_PER:2", offer("h1", None, &[]), &two, 1, false, "2 of at most 2"),
        ("hostname:MAX_PER:3", offer("h1", None, &[]), &two, 1, true, ""),
        ("rack:UNIQUE", offer("h9", None, &[("rack", "r1")]), &spread, 3, false, "rack 'r1'"),
        ("rack:UNIQUE", offer("h9", None, &[("rack", "r9")]), &spread, 3, true, ""),
        ("RACK:UNIQUE", offer("h9", None, &[("rack", "r9")]), &spread, 3, false, "no attribute 'RACK'"),
        ("RACK:GROUP_BY", offer("h9", None, &[("Rack", "r1")]), &spread, 3, false, "others have only 1"),
        ("RACK:GROUP_BY", offer("h9", None, &[("Rack", "r2")]), &spread, 3, true, "has 1"),
        ("rack:UNIQUE", offer("h9", None, &[]), &spread, 3, false, "no attribute 'rack'"),
        ("@zone:UNIQUE", offer("h9", None, &[]), &spread, 3, false, "no zone"),
        ("@zone:MAX_PER:2", offer("h9", Some("z2"), &[]), &spread, 3, true, ""),
        ("@zone:MAX_PER:2", offer("h9", Some("z1"), &[]), &spread, 3, false, "2 of at most 2"),
        ("@region:MAX_PER:3", offer("h9", Some("z1"), &[]), &spread, 3, false, "region 'r'"),
        ("rack:IS:3", offer("h", None, &[("rack", "3.000")]), &[], 0, true, ""),
        ("rack:CLUSTER:3", offer("h", None, &[("rack", "4")]), &[], 0, false, "'3' is wanted"),
        ("rack:IS_NOT:3", offer("h", None, &[]), &[], 0, true, "no attribute"),
        ("hostname:LIKE:h[1-3]", offer("h2", None, &[]), &[], 0, true, ""),
        ("hostname:LIKE:h", offer("h2", None, &[]), &[], 0, false, "is not like 'h'"),
        ("hostname:UNLIKE:h|g", offer("h2", None, &[]), &[], 0, true, ""),
        ("hostname:UNLIKE:h.*", offer("h2", None, &[]), &[], 0, false, ""),
        ("@zone:LIKE:.*", offer("h2", None, &[]), &[], 0, false, "no zone"),
        ("rack:GROUP_BY", offer("h", None, &[("rack", "r1")]), &spread, 3, false, "others have only 1"),
        ("rack:GROUP_BY", offer("h", None, &[("rack", "r2")]), &spread, 3, true, ""),
        ("rack:GROUP_BY", offer("h", None, &[("rack", "r3")]), &spread, 3, true, ""),
        ("rack:GROUP_BY", offer("h", None, &[]), &spread, 3, false, "no rack"),
        ("rack:GROUP_BY:3", offer("h", None, &[("rack", "r2")]), &spread, 3, false, "only 2 of 3"),
        ("rack:GROUP_BY:3", offer("h", None, &[("rack", "r3")]), &spread, 3, true, "none yet"),
        ("rack:GROUP_BY:2", offer("h", None, &[("rack", "r2")]), &spread, 3, true, "all 2 known"),
        (
            "hostname:UNIQUE,rack:IS:r1",
            offer("h9", None, &[("rack", "r2")]),
            &two,
            3,
            false,
            "'r1' is wanted",
        ),
    ];
    for (text, offer, tasks, index, passed, words) in cases {
        let outcome = rule(text).evaluate(offer, tasks, "hello", *index);
        assert_eq!(outcome.passed, *passed, "{text} on {}: {}", offer.hostname, outcome.text);
        assert!(outcome.text.contains(words), "{text}: {} lacks {words}", outcome.text);
    }
}

#[test]
fn a_type_counts_types_with_its_name_as_prefix() {
    let stored = tasks(&[("hello-b-0-server", "h1")]);
    assert!(!rule("hostname:UNIQUE").evaluate(&offer("h1", None, &[]), &stored, "hello", 0).passed);
    let other = tasks(&[("hellob-0-server", "h1")]);
    assert!(rule("hostname:UNIQUE").evaluate(&offer("h1", None, &[]), &other, "hello", 0).passed);
}

#[test]
fn an_empty_conjunction_and_an_invalid_rule_never_hold() {
    for rule in [Rule::And(Vec::new()), Rule::Invalid { text: "x".into(), why: "y".into() }] {
        assert!(!rule.evaluate(&offer("h", None, &[]), &[], "hello", 0).passed);
    }
    let invalid = Rule::And(vec![Rule::LocalRegion, Rule::Invalid { text: "x".into(), why: "y".into() }]);
    assert_eq!(invalid.invalid().as_deref(), Some("y"));
}

#[test]
fn the_region_rule_comes_first() {
    let own = Placement { text: "hostname:UNIQUE".into(), rule: rule("hostname:UNIQUE") };
    let about_region = Placement { text: "@region:IS:far".into(), rule: rule("@region:IS:far") };
    assert_eq!(effective(None, Some("far"), false), Rule::LocalRegion);
    assert_eq!(
        effective(Some(&own), Some("far"), true),
        Rule::And(vec![Rule::Region(Matcher::Exact("far".into())), own.rule.clone()])
    );
    assert_eq!(effective(Some(&about_region), Some("near"), true), about_region.rule);
    let mut elsewhere = offer("h", Some("z"), &[]);
    elsewhere.master_region = Some("other".into());
    assert!(!Rule::LocalRegion.evaluate(&elsewhere, &[], "hello", 0).passed);
    elsewhere.region = None;
    assert!(Rule::LocalRegion.evaluate(&elsewhere, &[], "hello", 0).passed);
}

#[test]
fn json_form_and_references() {
    let json = rule(r#"[["rack","UNIQUE"],["@zone","GROUP_BY","2"],["hostname","UNLIKE","x.*"]]"#).to_json();
    assert_eq!(
        json,
        serde_json::json!({"@type": "AndRule", "rules": [
            {"@type": "AndRule", "rules": [
                {"@type": "AttributeRule", "matcher": {"@type": "RegexMatcher", "pattern": "rack:.*"}},
                {"@type": "MaxPerAttributeRule", "max": 1,
                 "matcher": {"@type": "RegexMatcher", "pattern": "rack:.*"},
                 "task-filter": {"@type": "RegexMatcher", "pattern": "hello-.*"}}]},
            {"@type": "RoundRobinByZoneRule", "zone-count": 2,
             "task-filter": {"@type": "RegexMatcher", "pattern": "hello-.*"}},
            {"@type": "NotRule", "rule":
                {"@type": "HostnameRule", "matcher": {"@type": "RegexMatcher", "pattern": "x.*"}}}]})
    );
    assert!(rule("@zone:GROUP_BY").references_zone() && !rule("zone:GROUP_BY").references_zone());
    assert!(rule("@region:UNLIKE:x").references_region());
    assert!(rule("rack:UNIQUE").counts_elsewhere() && !rule("hostname:UNIQUE").counts_elsewhere());
}

#[test]
fn an_avoided_pod_type_is_excluded_by_agent() {
    let stored =
        tasks(&[("name-0-node", "h1"), ("name-0-zkfc", "h1"), ("names-0-node", "h2"), ("hello-1-x", "h3")]);
    let avoid = |pod: &str| Rule::Avoid { pod: pod.into() };
    // The agent of a machine that came back as a new one is another.
    let renewed = OfferFacts { agent: "agent-new".into(), ..offer("h1", None, &[]) };
    for (rule, offer, index, passed, words) in [
        (avoid("name"), offer("h1", None, &[]), 0, false, "name-0-node is on this agent"),
        (avoid("name"), renewed, 0, true, "no task of the avoided pod type 'name'"),
        (avoid("name"), offer("h2", None, &[]), 0, true, ""),
        (avoid("hello"), offer("h3", None, &[]), 0, false, "hello-1-x"),
        (avoid("hello"), offer("h3", None, &[]), 1, true, ""),
    ] {
        let outcome = rule.evaluate(&offer, &stored, "hello", index);
        assert_eq!(outcome.passed, passed, "{rule}: {}", outcome.text);
        assert!(outcome.text.contains(words), "{rule}: {}", outcome.text);
    }
}

#[test]
fn rules_are_formatted_like_the_real_scheduler() {
    let filter = "RegexMatcher{pattern='hello-.*'}";
    for (text, want) in [
        ("hostname:UNIQUE", format!("MaxPerHostnameRule{{max=1, task-filter={filter}}}")),
        ("@zone:IS:a", "ZoneRule{matcher=ExactMatcher{str='a'}}".to_owned()),
        ("@region:LIKE:a.*", "RegionRule{matcher=RegexMatcher{pattern='a.*'}}".to_owned()),
        ("rack:IS_NOT:a", "NotRule{rule=AttributeRule{matcher=ExactMatcher{str='rack:a'}}}".to_owned()),
        ("@zone:GROUP_BY:3", format!("RoundRobinByZoneRule{{zone-count=Optional[3], task-filter={filter}}}")),
        (
            "@zone:GROUP_BY",
            format!("RoundRobinByZoneRule{{zone-count=Optional.empty, task-filter={filter}}}"),
        ),
        (
            "rack:GROUP_BY:2",
            format!(
                "RoundRobinByAttributeRule{{attribute=rack, attribute-count=Optional[2], task-filter={filter}}}"
            ),
        ),
        (
            "hostname:LIKE:a,@region:IS:b",
            "AndRule{rules=[HostnameRule{matcher=RegexMatcher{pattern='a'}}, \
             RegionRule{matcher=ExactMatcher{str='b'}}]}"
                .to_owned(),
        ),
    ] {
        assert_eq!(rule(text).to_string(), want, "{text}");
    }
    let avoid = Rule::Avoid { pod: "name".into() }.to_string();
    assert_eq!(avoid, "TaskTypeRule{type=name, converter=TaskTypeLabelConverter{}, behavior=AVOID}");
}
