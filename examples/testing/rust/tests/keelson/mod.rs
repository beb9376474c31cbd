//! A Keelson server for tests; it ends when it is dropped, and with this process in any case.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

pub struct KeelsonServer {
    process: Child,
    /// url, token, ca, kubeconfig, adminPath and pid.
    pub info: serde_json::Value,
}

impl KeelsonServer {
    pub fn start(manifests: &[&str]) -> Self {
        let command = std::env::var("KEELSON").unwrap_or_else(|_| "npx keelson".into());
        let mut words = command.split_whitespace();
        let mut program = Command::new(words.next().expect("KEELSON names a command"));
        program.args(words).arg("test-server");
        for manifest in manifests {
            program.args(["-f", manifest]);
        }
        // the server ends with its standard input, which this process holds
        let mut process = program
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("keelson test-server starts");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("standard output is piped"))
            .read_line(&mut line)
            .expect("one line of JSON");
        let info = serde_json::from_str(&line).expect("its standard error says why it did not start");
        KeelsonServer { process, info }
    }

    /// A client of the administrator.
    pub async fn client(&self) -> kube::Client {
        let path = self.info["kubeconfig"].as_str().expect("the path of a kubeconfig");
        let kubeconfig = kube::config::Kubeconfig::read_from(path).expect("a kubeconfig");
        let config = kube::Config::from_custom_kubeconfig(kubeconfig, &Default::default())
            .await
            .expect("a context");
        kube::Client::try_from(config).expect("a client")
    }
}

impl Drop for KeelsonServer {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}
