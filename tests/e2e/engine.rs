//! What stands behind the window before it opens: a folder that was worked in, and an endpoint that answers as written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use assent_engine::Engine;
use assent_engine::engine::Opening;
use assent_engine::live::Unwatched;
use assent_engine::model::registry::{ModelRole, Protocol, Provider};
use assent_engine::store::Home;
use assent_tests::sse::{Answer, FakeServer};
use tokio::runtime::Runtime;

/// A fake endpoint with a runtime of its own.
pub struct Endpoint {
    server: FakeServer,
    runtime: Runtime,
}

impl Endpoint {
    /// Answers these in order.
    pub fn start(answers: impl IntoIterator<Item = Answer>) -> Result<Self> {
        let runtime = Runtime::new()?;
        let server = runtime.block_on(FakeServer::start(answers));
        Ok(Self { server, runtime })
    }

    /// Makes the endpoint the chosen model of a data folder, and `workspace` a folder of an earlier session.
    pub fn is_used_in(&self, data: &Path, workspace: &Path) -> Result<()> {
        let opening = Opening { guard: PathBuf::new(), model: None, live: Arc::new(Unwatched), notice: None };
        let opened = Engine::at(&Home::at(data)?, opening)?;
        opened.models.add_provider(Provider {
            id: "written".to_owned(),
            base_url: format!("{}/v1", self.server.address),
            protocol: Protocol::Openai,
            context_tokens: 8192,
            plain: false,
        })?;
        opened.models.choose(ModelRole::Default, Some(&"written/replies".parse()?))?;
        let sessions = opened.engine.sessions();
        let session = self.runtime.block_on(sessions.create(workspace))?;
        self.runtime.block_on(sessions.rename(&session, "An earlier session"))?;
        Ok(())
    }
}
