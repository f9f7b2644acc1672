//! Credentials: given, listed by name, forgotten; what is wrong is told at its field, and no secret comes back.

use serde_json::{Value, json};

use super::page::Page;

const SECRET: &str = "s3cret-of-the-crm";

fn given(name: &str, hosts: &[&str], secret: &str) -> Value {
    json!({"name": name, "hosts": hosts, "tools": [], "secret": secret, "replaces": false})
}

fn instead(name: &str, hosts: &[&str], secret: &str) -> Value {
    let mut given = given(name, hosts, secret);
    given["replaces"] = json!(true);
    given
}

#[test]
fn a_credential_is_kept_listed_and_forgotten_and_its_secret_never_comes_back() {
    let page = Page::open();
    assert_eq!(page.gives("vault_list", json!({})), json!([]));
    let kept = page.gives("vault_add", given("crm", &["API.crm.example"], SECRET));
    assert_eq!(
        kept["credential"]["told"],
        "It is in the vault, for api.crm.example: write {$vault:crm} where it goes."
    );
    assert_eq!(kept["key"]["place"], "process", "{kept}");
    let listed = page.gives("vault_list", json!({}));
    assert_eq!(listed, json!([kept["credential"]]));
    assert!(!format!("{kept}{listed}").contains(SECRET));
    for (wrong, place) in [
        (given("Crm", &["a.example"], SECRET), "name"),
        (given("crm", &[], SECRET), "hosts"),
        (given("crm", &["https://a.example"], SECRET), "hosts"),
        (instead("crm", &["a.example"], "short"), "secret"),
    ] {
        let failure = page.failure("vault_add", wrong);
        assert_eq!(
            (&failure["code"], &failure["faults"][0]["path"]),
            (&json!("invalid"), &json!([place])),
            "{failure}"
        );
        assert!(!failure.to_string().contains(SECRET), "{failure}");
    }
    assert_eq!(page.fails("vault_add", given("crm", &["crm.example.org"], "another-secret")), "name_taken");
    assert_eq!(page.gives("vault_list", json!({})), listed, "what was refused changed nothing");
    let other = page.gives("vault_add", instead("crm", &["crm.example.org"], "another-secret"));
    assert_eq!(page.gives("vault_list", json!({})), json!([other["credential"]]), "it is there once");
    // The keyring of these tests is locked: the credential is lent to no call any more, and that is told.
    assert_eq!(page.fails("vault_remove", json!({"name": "crm"})), "no_keyring");
    assert_eq!(page.fails("vault_remove", json!({"name": "crm"})), "not_found");
    assert_eq!(page.gives("vault_list", json!({})), json!([]));
}
