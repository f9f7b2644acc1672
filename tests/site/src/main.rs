//! Serves the site, or a folder, until it is ended; says where on its first line.

use assent_site::{Site, folder, made};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let site = match std::env::args_os().nth(1) {
        Some(path) => Site::serve(folder::of(path.into())).await,
        None => Site::serve(made::answer).await,
    };
    println!("{}", site.url("/"));
    std::future::pending::<()>().await;
}
