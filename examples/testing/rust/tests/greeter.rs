//! Run with: cargo test

mod keelson;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{Api, ListParams, PostParams};
use keelson::KeelsonServer;

/// The operator: every namespace with the label `greet` gets a ConfigMap that greets it.
async fn reconcile(client: kube::Client) -> kube::Result<()> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    for namespace in namespaces.list(&ListParams::default().labels("greet")).await? {
        let name = namespace.metadata.name.unwrap_or_default();
        let greet = &namespace.metadata.labels.unwrap_or_default()["greet"];
        let greeting = serde_json::json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "name": "greeting" }, "data": { "text": format!("hello {greet}") },
        });
        let greeting: ConfigMap = serde_json::from_value(greeting).expect("a ConfigMap");
        Api::namespaced(client.clone(), &name).create(&PostParams::default(), &greeting).await?;
    }
    Ok(())
}

#[tokio::test]
async fn greets_a_namespace() {
    let server = KeelsonServer::start(&["../shop.yaml"]);
    let client = server.client().await;
    reconcile(client.clone()).await.expect("the operator succeeds");
    let made: ConfigMap = Api::namespaced(client, "shop").get("greeting").await.expect("the greeting is there");
    assert_eq!(made.data.unwrap_or_default()["text"], "hello world");
}
