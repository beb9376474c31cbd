"""Run with: python3 -m unittest"""

import os
import unittest

from keelson_server import KeelsonServer

SHOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "shop.yaml")
CONFIG_MAPS = "/api/v1/namespaces/shop/configmaps"


def reconcile(server):
    """The operator: every namespace with the label `greet` gets a ConfigMap that greets it."""
    _, namespaces = server.call("GET", "/api/v1/namespaces?labelSelector=greet")
    for namespace in namespaces["items"]:
        meta = namespace["metadata"]
        greeting = {"metadata": {"name": "greeting"}, "data": {"text": "hello " + meta["labels"]["greet"]}}
        status, answer = server.call("POST", "/api/v1/namespaces/%s/configmaps" % meta["name"], greeting)
        if status not in (201, 409):
            raise RuntimeError(answer["message"])


class GreeterTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = KeelsonServer(SHOP)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def tearDown(self):
        self.server.admin("reset")

    def test_greets_a_namespace(self):
        reconcile(self.server)
        _, greeting = self.server.call("GET", CONFIG_MAPS + "/greeting")
        self.assertEqual(greeting["data"], {"text": "hello world"})
        written = self.server.admin("journal", filter={"verb": "write"})["requests"]
        self.assertEqual([(one["resource"], one["name"]) for one in written], [("configmaps", "greeting")])

    def test_tries_again_after_a_failure(self):
        self.server.admin("faults", fault="fail", filter={"verb": "create", "resource": "configmaps"}, status=503)
        with self.assertRaises(RuntimeError):
            reconcile(self.server)
        reconcile(self.server)
        self.assertEqual(self.server.call("GET", CONFIG_MAPS + "/greeting")[0], 200)


if __name__ == "__main__":
    unittest.main()
