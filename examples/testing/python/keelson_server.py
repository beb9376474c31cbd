"""A Keelson server for tests, with nothing but the standard library."""

import json
import os
import shlex
import ssl
import subprocess
import urllib.error
import urllib.request


class KeelsonServer:
    """Starts `keelson test-server`; it ends with `close`, and with this process in any case."""

    def __init__(self, *manifests):
        command = shlex.split(os.environ.get("KEELSON", "npx keelson")) + ["test-server"]
        for manifest in manifests:
            command += ["-f", manifest]
        # the server ends with its standard input, which this process holds
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("keelson test-server did not start; its standard error says why")
        self.info = json.loads(line)
        self._tls = ssl.create_default_context(cadata=self.info["ca"])

    @property
    def kubeconfig(self):
        """For the official client: kubernetes.config.load_kube_config(server.kubeconfig)."""
        return self.info["kubeconfig"]

    def call(self, method, path, body=None):
        """One request as the administrator; gives back the status and the decoded answer."""
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        headers = {"Authorization": "Bearer " + self.info["token"], "Content-Type": "application/json"}
        request = urllib.request.Request(self.info["url"] + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, context=self._tls) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def admin(self, what, **body):
        """apply, snapshot, reset, faults, clock, journal and users: see docs/testing-in-any-language.md."""
        status, answer = self.call("POST", self.info["adminPath"] + "/" + what, body)
        if status != 200:
            raise RuntimeError(answer["message"])
        return answer

    def apply(self, text):
        status, answer = self.call("POST", self.info["adminPath"] + "/apply", text.encode())
        if status != 200:
            raise RuntimeError(answer["message"])

    def close(self):
        self._process.stdin.close()
        self._process.wait(timeout=20)
        self._process.stdout.close()
