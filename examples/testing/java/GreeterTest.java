/** Run with: javac *.java && java GreeterTest. In JUnit the server is made in @BeforeAll, and reset in @AfterEach. */
final class GreeterTest {
  static final String CONFIG_MAPS = "/api/v1/namespaces/shop/configmaps";

  public static void main(String[] args) throws Exception {
    try (KeelsonServer server = new KeelsonServer("../shop.yaml")) {
      greets(server);
      server.admin("reset", "{}");
      triesAgainAfterAFailure(server);
    }
    System.out.println("2 tests passed");
  }

  static void greets(KeelsonServer server) throws Exception {
    reconcile(server);
    String greeting = server.call("GET", CONFIG_MAPS + "/greeting", null).body();
    check(KeelsonServer.field(greeting, "text").equals("hello world"), greeting);
    String written = server.admin("journal", "{\"filter\":{\"verb\":\"write\"}}");
    check(KeelsonServer.field(written, "name").equals("greeting"), written);
  }

  static void triesAgainAfterAFailure(KeelsonServer server) throws Exception {
    server.admin("faults", "{\"fault\":\"fail\",\"status\":503,\"filter\":{\"verb\":\"create\",\"resource\":\"configmaps\"}}");
    check(reconcile(server) == 503, "the fault was not met");
    check(reconcile(server) == 201, "the second try failed");
  }

  /** The operator: the namespace of the shop gets a ConfigMap that greets it. */
  static int reconcile(KeelsonServer server) throws Exception {
    String greeting = "{\"metadata\":{\"name\":\"greeting\"},\"data\":{\"text\":\"hello world\"}}";
    return server.call("POST", CONFIG_MAPS, greeting).statusCode();
  }

  static void check(boolean holds, String message) {
    if (!holds) throw new AssertionError(message);
  }
}
