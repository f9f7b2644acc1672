use serde_json::json;

use crate::contract::Schema;

#[test]
fn an_address_is_one_as_people_copy_it() {
    let schema = Schema::compile(json!({"format": "uri"})).unwrap();
    for address in [
        "https://example.com",
        "https://example.com/?tx_news[id]=5",
        "https://example.com/news?f[]=1|2#a^b",
        "https://de.example/Übersicht/größe",
        "https://example.com/100%/a%20b",
        "http://[::1]:8080/x[1]",
        "mailto:a@example.com",
        "urn:isbn:0451450523",
    ] {
        assert!(schema.is_valid(&json!(address)), "{address}");
    }
    for other in [
        "",
        "example.com",
        "/news",
        "two words",
        "https://exa mple.com/",
        "https://example.com/a b",
        "https://a[b].c/",
        "http://<x>/",
    ] {
        assert!(!schema.is_valid(&json!(other)), "{other}");
    }
}
