import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A Keelson server for tests, with nothing but the JDK. For client libraries: {@link #kubeconfig}. */
final class KeelsonServer implements AutoCloseable {
  final String url;
  final String token;
  final String kubeconfig;
  private final String adminPath;
  private final Process process;
  private final HttpClient http;

  KeelsonServer(String... manifests) throws Exception {
    String command = System.getenv().getOrDefault("KEELSON", "npx keelson");
    List<String> words = new ArrayList<>(List.of(command.split(" ")));
    words.add("test-server");
    for (String manifest : manifests) words.addAll(List.of("-f", manifest));
    // the server ends with its standard input, which this process holds
    process = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = out.readLine();
    if (line == null) throw new IOException("keelson test-server did not start; its standard error says why");
    url = field(line, "url");
    token = field(line, "token");
    kubeconfig = field(line, "kubeconfig");
    adminPath = field(line, "adminPath");
    http = HttpClient.newBuilder().sslContext(trusting(field(line, "ca"))).build();
  }

  /** One request as the administrator; a body of null sends none. */
  HttpResponse<String> call(String method, String path, String body) throws Exception {
    var content = body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
    var request = HttpRequest.newBuilder(URI.create(url + path)).method(method, content)
        .header("Authorization", "Bearer " + token).header("Content-Type", "application/json").build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** apply, snapshot, reset, faults, clock, journal and users: see docs/testing-in-any-language.md. */
  String admin(String what, String body) throws Exception {
    var answer = call("POST", adminPath + "/" + what, body);
    if (answer.statusCode() != 200) throw new IOException(answer.body());
    return answer.body();
  }

  @Override
  public void close() throws Exception {
    process.getOutputStream().close();
    process.waitFor();
  }

  /** A text of a flat JSON object; a JSON library does the same. */
  static String field(String json, String name) {
    Matcher found = Pattern.compile("\"" + name + "\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
    if (!found.find()) throw new IllegalArgumentException(name + " is missing in " + json);
    return found.group(1).replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\");
  }

  private static SSLContext trusting(String pem) throws Exception {
    var certificate = CertificateFactory.getInstance("X.509")
        .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8)));
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    store.setCertificateEntry("keelson", certificate);
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }
}
