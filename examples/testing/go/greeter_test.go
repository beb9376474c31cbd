// Run with:
//
//	npx keelson envtest bin
//	go mod tidy
//	KUBEBUILDER_ASSETS=$PWD/bin go test ./...
package greeter

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// reconcile is the operator: every namespace with the label greet gets a ConfigMap that greets it.
func reconcile(ctx context.Context, c client.Client) error {
	var namespaces corev1.NamespaceList
	if err := c.List(ctx, &namespaces, client.HasLabels{"greet"}); err != nil {
		return err
	}
	for _, namespace := range namespaces.Items {
		greeting := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "greeting", Namespace: namespace.Name},
			Data:       map[string]string{"text": "hello " + namespace.Labels["greet"]},
		}
		if err := client.IgnoreAlreadyExists(c.Create(ctx, greeting)); err != nil {
			return err
		}
	}
	return nil
}

func TestGreeter(t *testing.T) {
	env := &envtest.Environment{CRDDirectoryPaths: []string{"crds"}, ErrorIfCRDPathMissing: true}
	config, err := env.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	})
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	shop := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{"greet": "world"}}}
	if err := c.Create(ctx, shop); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := reconcile(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	var greeting corev1.ConfigMap
	if err := c.Get(ctx, client.ObjectKey{Namespace: "shop", Name: "greeting"}, &greeting); err != nil {
		t.Fatal(err)
	}
	if greeting.Data["text"] != "hello world" {
		t.Errorf("the greeting is %q", greeting.Data["text"])
	}
}
