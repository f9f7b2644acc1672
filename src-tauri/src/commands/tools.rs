//! Tools: where they come from, how they are found, and a person's own calls.

use std::path::Path;

use assent_core::contract::ToolSpec;
use assent_core::discovery::Query;
use assent_core::ids::SessionId;
use assent_engine::Engine;
use assent_engine::engine::Opened;
use assent_engine::heap::shipped::Removal;
use assent_engine::model::Secret;
use serde_json::{Map, Value};

use super::messages::{begun, said};
use super::{Answered, Here};
use crate::aside::{Aside, aside};
use crate::shell::Shell;
use crate::wire::{
    ContractEntry, ContractPage, ErrorCode, Failure, FoundPackView, PackView, SourceKey, SourceView, SpecialistOption,
    ToolFilter, ToolSearch, ToolsView,
};

/// So many tools are found at most.
const MOST_FOUND: usize = 50;

pub async fn tool_list(shell: Here<'_>) -> Answered<ToolsView> {
    after(&shell, |_| Ok(())).await
}

pub async fn tool_find(
    shell: Here<'_>,
    text: String,
    limit: usize,
    filter: Option<ToolFilter>,
) -> Answered<ToolSearch> {
    let filter = filter.unwrap_or_default().into();
    shell
        .ask(move |engine| {
            let tools = engine.tools();
            let found = tools.find(&Query { text: &text, limit: limit.min(MOST_FOUND), filter: &filter });
            Ok(ToolSearch::new(found, tools.lacks()))
        })
        .await
}

/// All who have contracts.
pub fn tool_contracts(shell: Here<'_>) -> Aside<Vec<ContractEntry>> {
    shell.ask(|engine| Ok(engine.contracts().list().into_iter().map(ContractEntry::from).collect()))
}

/// The contracts of one.
pub async fn tool_contract(shell: Here<'_>, name: String, agent: bool) -> Answered<ContractPage> {
    let gone = format!("there is no agent and no tool {name:?} any more");
    shell
        .ask(move |engine| {
            let contracts = engine.contracts();
            let page = if agent { contracts.show(&name) } else { contracts.tool(&name) };
            page.map(ContractPage::from).ok_or_else(|| Failure::new(ErrorCode::NotFound, gone))
        })
        .await
}

pub async fn tool_add_source(shell: Here<'_>, name: String, folder: String) -> Answered<ToolsView> {
    after(&shell, move |opened| Ok(opened.engine.tools().add_source(&name, Path::new(&folder)).map(drop)?)).await
}

pub async fn tool_remove_source(shell: Here<'_>, name: String) -> Answered<ToolsView> {
    after(&shell, move |opened| Ok(opened.engine.tools().remove_source(&name).map(drop)?)).await
}

/// Adds a pack that Assent brings along, whose agents can be called at once.
pub async fn tool_add_pack(shell: Here<'_>, name: String) -> Answered<ToolsView> {
    after(&shell, move |opened| Ok(opened.engine.heap().add_pack(&name).map(drop)?)).await
}

/// Looks at a folder as a pack of a person's own; nothing is added.
pub fn tool_check_pack(shell: Here<'_>, name: String, folder: String) -> Aside<FoundPackView> {
    shell.ask(move |engine| Ok(engine.heap().look_at_pack(&name, Path::new(&folder))?.into()))
}

/// Adds a copy of a folder to the packs, if nothing is wrong with it.
pub async fn tool_add_own_pack(shell: Here<'_>, name: String, folder: String) -> Answered<ToolsView> {
    after(&shell, move |opened| Ok(opened.engine.heap().add_own_pack(&name, Path::new(&folder)).map(drop)?)).await
}

/// Removes a pack, also with what a person has changed in it where that is said.
pub async fn tool_remove_pack(shell: Here<'_>, name: String, changed: bool) -> Answered<ToolsView> {
    let removal = if changed { Removal::WithChanges } else { Removal::Untouched };
    after(&shell, move |opened| Ok(opened.engine.heap().remove_pack(&name, removal)?)).await
}

/// Where the keys of a source are. The keyring is another program, which may wait for somebody to unlock it: nothing else
/// waits for that.
pub async fn tool_keys(shell: Here<'_>, source: String) -> Answered<Vec<SourceKey>> {
    keyed(&shell, source, |_, _| Ok(())).await
}

/// Keeps the key that the tools of a source send to one host.
pub async fn tool_set_key(shell: Here<'_>, source: String, host: String, key: String) -> Answered<Vec<SourceKey>> {
    let key = Secret::new(&key);
    if key.is_empty() {
        return Err(Failure::new(ErrorCode::Invalid, "there is no key in it: paste the key of the service"));
    }
    keyed(&shell, source, move |opened, source| {
        Ok(opened.engine.tools().keep_source_key(opened.models.keys(), source, &host, key)?)
    })
    .await
}

pub async fn tool_forget_key(shell: Here<'_>, source: String, host: String) -> Answered<Vec<SourceKey>> {
    keyed(&shell, source, move |opened, source| {
        Ok(opened.engine.tools().forget_source_key(opened.models.keys(), source, &host)?)
    })
    .await
}

/// Has agents made in chats, or no longer.
pub async fn tool_set_studio(shell: Here<'_>, open: bool) -> Answered<ToolsView> {
    after(&shell, move |opened| {
        let studio = opened.engine.studio();
        if !open {
            return Ok(studio.close()?);
        }
        match studio.open()? {
            true => Ok(()),
            false => Err(Failure::new(ErrorCode::Invalid, "the studio cannot be opened: there is no folder of packs")),
        }
    })
    .await
}

pub async fn tool_call(
    shell: Here<'_>,
    session: SessionId,
    tool: String,
    arguments: Map<String, Value>,
) -> Answered<()> {
    let opened = shell.opened()?;
    let events = opened.engine.changes();
    let own = session.clone();
    let outcome = shell.work().begin_watched(session.clone(), move |cancel| async move {
        opened.engine.turns().call(&own, &tool, arguments, &cancel).await.map(|end| vec![end])
    });
    begun(&session, said, events, outcome).await
}

/// Where the keys of a source are once something was done with them.
async fn keyed(
    shell: &Shell,
    source: String,
    act: impl FnOnce(&Opened, &str) -> Answered<()> + Send + 'static,
) -> Answered<Vec<SourceKey>> {
    let opened = shell.opened()?;
    aside(move || {
        act(&opened, &source)?;
        let found = opened.engine.tools().sources()?.into_iter().find(|state| state.source.name == source);
        let gone = || Failure::new(ErrorCode::NotFound, format!("there is no source named {source:?} any more"));
        Ok(SourceKey::all(found.ok_or_else(gone)?, opened.models.keys()))
    })
    .await
}

/// What there is of tools once something was done. The keyring is not asked.
async fn after(shell: &Shell, act: impl FnOnce(&Opened) -> Answered<()> + Send + 'static) -> Answered<ToolsView> {
    let opened = shell.opened()?;
    aside(move || {
        act(&opened)?;
        view(&opened)
    })
    .await
}

/// Those that Assent brings along, then a person's own.
fn packs(engine: &Engine) -> Vec<PackView> {
    let (shipped, own) = (engine.heap().packs().into_iter(), engine.heap().own_packs().into_iter());
    shipped.map(PackView::from).chain(own.map(PackView::from)).collect()
}

fn view(opened: &Opened) -> Answered<ToolsView> {
    let engine = &opened.engine;
    let tools = engine.tools();
    // Before the others: what was added or removed has its tools at hand from here on.
    let sources = tools.sources()?.into_iter().map(SourceView::from).collect();
    let specs: Vec<ToolSpec> = tools.list().into_iter().cloned().collect();
    Ok(ToolsView {
        tokens: specs.iter().map(ToolSpec::estimated_tokens).collect(),
        owners: tools.owners(specs.iter().map(|spec| spec.name.as_str())),
        tools: specs,
        specialists: tools.executors().into_iter().map(SpecialistOption::from).collect(),
        heap: engine.heap().show().into(),
        packs: packs(engine),
        sources,
        studio: engine.studio().is_open(),
        budget: engine.tool_budget()?,
    })
}
