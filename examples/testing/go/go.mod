module example.com/greeter

go 1.25.0

require (
	k8s.io/api v0.36.0
	k8s.io/apimachinery v0.36.0
	sigs.k8s.io/controller-runtime v0.24.1
)
