// What the page on compatibility says of each note on odd behaviour in the code: where clients meet it, and the rule of the
// dialect that decides, where there is one.

import type { DialectRules } from '../../src/meta/dialect.ts';

type Oddity = readonly [note: string, where: string, rule?: keyof DialectRules];

export const oddities: readonly Oddity[] = [
  [
    'an unknown field of a custom resource is quoted as it is',
    'Unknown fields of custom resources, with quotes in their names',
  ],
  [
    'a failed conversion for a mutating webhook is an internal error of an internal error',
    '500 for a mutating webhook that reads another version: its message',
  ],
  [
    'an error about a converted object that is no object does not name the webhook',
    '`convertedObjects` of conversion webhooks: one without `kind`',
  ],
  [
    'errors about annotations of a converted object name a field that does not exist',
    '`convertedObjects` of conversion webhooks: wrong annotations',
  ],
  ['the value does not count, not even verbose=false', '`/livez?verbose=false`: the lines of all checks'],
  [
    'only the document of the core group names the kinds of every group-version',
    '`x-kubernetes-group-version-kind` of DeleteOptions in `/openapi/v3`',
  ],
  [
    'the order of parameters is that of their names, and a body is before them',
    '`parameters` of operations in OpenAPI documents',
  ],
  ['an apiVersion that is no group and version means the core group', '`boundObjectRef.apiVersion` of a token request'],
  [
    'what to roll back to is an annotation, and the field of an older version in validation errors',
    '422 for a Deployment: `spec.rollback.version`',
  ],
  [
    'the zone of the machine is known by the one way in which its name is usually written',
    '422 for the `spec.timeZone` `LOCAL`: two causes, one for `Local`',
  ],
  [
    'a dry run knows one range of each family, and names it',
    '422 for a dry run of a Service whose `spec.clusterIP` is outside of the range',
  ],
  [
    'reported below metadata, although it is in the status',
    '422 for a Node without swap that says so: `metadata.nodeSwapStatus.capacity`',
  ],
  [
    'reported at the constraint, as if that were the list',
    '422 for `spec.topologySpreadConstraints[0][0]`, which means `matchLabelKeys[0]`',
  ],
  [
    'a third address is not told to repeat a family where both families are there',
    '422 for a Service with three `spec.clusterIPs` of both families',
  ],
  [
    'what is said about all of an object, and about no field of it, has brackets for a path',
    '422 for a ConfigMap that is too large: `[]: Too long`',
  ],
  ['it is written as JSON has it, unlike other texts', '422 for an unsupported value with `<`, `>` or `&` in it'],
  ['a Status is shown as it is, whatever form was asked for', 'Evictions and bindings, asked for as metadata'],
  [
    'any word for a dry run is one, until the deletion itself looks at it',
    '`deleteOptions.dryRun` of an eviction: the budget keeps what it has, then 422',
  ],
  [
    'the kind stands where other errors name the resource',
    '403 for evictions: `poddisruptionbudget.policy "…" is forbidden`',
  ],
  [
    'an empty precondition is none here; the deletion itself takes it as it is',
    'Evictions with an empty uid: the pod has its condition, then 409',
  ],
  [
    'an old path without a resource is an error of the server, told in plain text before it is known who asks',
    '`/api/v1/watch` and `/api/v1/proxy`: 500',
  ],
  [
    'an old path watches custom objects of one name in all namespaces',
    '`/apis/<group>/<version>/watch/<resource>/<name>`',
  ],
  ['what a custom resource shows of another kind has the name of its version', '406 for a list of metadata of a scale'],
  [
    'some tables and all lists of metadata say null where they have nothing',
    '`rows` and `items` of empty answers',
    'emptyMetadataList',
  ],
  ['what one that is not there is called, which need not be the name of the resource', 'NotFound of a ComponentStatus'],
  ['a parameter with a semicolon or a broken escape is left out', 'Queries: `limit=1;watch=1`, `limit=%zz`'],
  [
    'the agent of the node that runs a pod; one that is not there is missed as if it were a pod',
    'Connections to a pod on a missing node: 404',
  ],
  ['HEAD is refused, too', '`/version` and the documents of discovery'],
  [
    'old paths lead to what can be watched, and what cannot be listed has none across namespaces',
    '404 or 405 for odd paths',
  ],
  ['a path below an object without a name is routed, then refused', '400 for `/pods//status`'],
  [
    'an old path does not say in its query that it asks for a watch, and has the rules of a list',
    'Options of `/watch/…`',
  ],
  [
    'told before the options of a create, and after those of an update',
    '415 next to a wrong `dryRun` or `fieldManager`',
  ],
  ['called as a plain function, a pattern costs one', '`matches(text, pattern)` in expressions: cost'],
  [
    'of two arguments both are looked at, also where the first failed; a call whose arguments were all looked at is paid for',
    'Expressions that fail: cost',
  ],
  [
    'a call whose pattern is a literal is not paid for where its text fails',
    "`text.matches('…')` in expressions that fail: cost",
  ],
  ['an expression without a character has no line, and its column is 0', 'Empty selectors of devices: errors'],
  ['what is wrong with a range is introduced twice', '`cidr(text)` in expressions: errors'],
  ['of what a condition chooses, the root is free', '`test ? a : b` in expressions: cost'],
  ['events of the group `events` are not counted, although they are the same objects', 'Plugin EventRateLimit'],
  ['less than no time to end is one second', 'Pod `terminationGracePeriodSeconds` below 0'],
  ['of a reference to a secret only the name is kept', 'ServiceAccount `secrets`'],
  [
    'definitions that no path of the document needs belong to every group-version of it',
    '`/openapi/v2`: definitions of aggregated servers',
  ],
  [
    'only a parameter that is called "body" becomes the body',
    '`/openapi/v3/` of aggregated servers that have OpenAPI 2',
  ],
  [
    'that an answer leads elsewhere is told without a line break behind it',
    'Aggregated requests: the body of a 502 for a redirect',
  ],
  [
    'of an upgrade that fails only the reason is told',
    'Aggregated requests that change the protocol: the body of a 503',
  ],
  [
    'members of what a patch goes through are in order of their names, others as they were',
    'PATCH: messages that show the patched object',
  ],
  ['what is no JSON is told byte by byte, whatever characters the bytes are part of', '`continue` that is none (400)'],
  ['a key that is always written has a value even where nothing is said', 'Apply: items of lists without their key'],
  [
    'a list that is given empty is stored as none, and its field belongs to who gave it',
    '`managedFields` of `rules: []`',
  ],
  [
    'labels that a job has from its pods are the same labels: what its pods get, it gets too',
    'Job `metadata.labels` on create',
  ],
  ['what is gone is shown with the version at which it went', 'DELETE that answers the object'],
  ['what another version carries in annotations belongs to who wrote it there', 'HorizontalPodAutoscaler v1'],
  [
    'preconditions of a delete that do not hold are told with the name of the resource, not of the kind',
    'DELETE: Namespace, CustomResourceDefinition',
  ],
  ['half of a pair stands for no character', 'Messages that quote texts'],
  ['messages name a scheme by where the reference server declares it', 'Bodies of an unknown kind (400)'],
  [
    "types are named by a package, which is the first part of a group's name but for two",
    'Bodies of another kind (400)',
  ],
  [
    "values in messages have the field names of the reference implementation's own types, and all of their fields",
    'Validation errors that show a struct',
  ],
  ['of a method of an unknown type, all of it is shown as the invalid value', 'FlowSchema `distinguisherMethod.type`'],
  ['of a default that is out of its bounds, the bound is shown as the invalid value', 'LimitRange `default`'],
  [
    "a request for administrators' access is reported at the request, whatever it is a part of",
    'ResourceClaim `requests[i].exactly.adminAccess`',
  ],
  [
    'the message of the first failure is that of the answer, its reason too, and the code stays 403',
    'MutatingAdmissionPolicy: the refusal',
  ],
  [
    'a JSON patch that makes something else of the object ends the request, whatever the policy says of failures',
    'MutatingAdmissionPolicy `jsonPatch` (500)',
  ],
  [
    'what was changed at all is seen again by every policy that allows it, also by the one that changed it last',
    'Policies: `reinvocationPolicy: IfNeeded`',
  ],
  ['this one message does not begin with the name of the node', 'NodeRestriction: labels that a node may not change'],
  ['only here containers are told in the order of their names', 'PodSecurity: hosts of probes and hooks'],
  ['names and values inside quotation marks are not escaped', 'PodSecurity: messages'],
  [
    'what is wrong with ephemeral containers is an internal error',
    'ServiceAccount: secrets that an account does not list (500)',
  ],
  [
    'some kinds are what they are whatever version they say they are of',
    'Bodies and answers of webhooks whose `kind` is Status or a list of APIs',
  ],
  ['a pod whose name is made up later is refused without a name', 'PodNodeSelector: pods with `generateName`'],
  [
    'what is wrong with a selector in an annotation is reported at no field',
    'PodNodeSelector: the annotation `node-selector` of a namespace',
  ],
  [
    'a port of the node is reported at the container, not at its entry in the list of ports',
    'PodSecurityPolicy: `spec.containers[i].ports[j].hostPort` of pods',
  ],
  [
    "who may not read parameters is told their own name, groups and the rest as the reference implementation's language prints them",
    'Policies: `paramRef`',
  ],
  [
    'the seven seconds over an hour mark tokens that pods did not ask for',
    'Pods: `expirationSeconds: 3607`',
    'podTokens',
  ],
  [
    'of several failures the first is recorded, although the value is a list',
    'ValidatingAdmissionPolicy: the audit annotation `validation_failure`',
  ],
  [
    'annotations may be written with rights in mind, but cannot ask for any',
    'ValidatingAdmissionPolicy: `spec.auditAnnotations`',
  ],
  ['what is empty is absent, as in the reviews that webhooks get', '`request` in expressions of policies'],
  [
    'a selector that cannot be read is left out, and the question is about everything',
    'Expressions: `authorizer` with selectors',
  ],
  ['a namespace is in itself', '`request.namespace` of a write of a Namespace'],
  ['all are evaluated, so that one may cost too much after another one was false', '`matchConditions`'],
  ['several errors are shown as a list, each of them once', '`matchConditions`: the message of the refusal'],
  ['messages cannot ask for rights', '`messageExpression` of policies'],
  [
    'policies do not decide about policies, nor about reviews of identity and rights',
    'Kinds that policies cannot match',
  ],
  ['no rules at all are about everything', '`spec.matchResources` of a policy binding'],
  [
    'no type is known for amounts, and fields of them are none',
    '`status.typeChecking` of a policy: `resources.limits`',
  ],
  [
    'where types are known, the authorizer of the request itself is not',
    '`status.typeChecking` of a policy: `authorizer.requestResource`',
  ],
  [
    'additions and removals do not say what is wrong with a pointer',
    '`path` of an operation in the patch of a webhook that is no text',
  ],
  [
    'the words for a document that is none end in an error that is none',
    'A patch of a webhook that replaces the whole object by no object',
  ],
  [
    'an answer is read by what it looks like, whatever its content type says: JSON, YAML or protobuf',
    'Answers of webhooks',
  ],
  [
    'an answer in v1beta1 counts whatever uid and kind it names',
    '`response.uid`, `kind` of an AdmissionReview v1beta1 (v1 is held to both)',
  ],
  [
    'what goes wrong between this server and another one is told in plain text, not as a Status',
    'Proxied and aggregated requests: the body of a 502 or 503',
  ],
  ['a watch takes the path of a list, and is refused as late as that', 'A watch of `componentstatuses`: 405'],
  [
    'a whole number that is too large for its field is cut off in strategic merge patches and applies',
    'PATCH: integers of more than 32 or 64 bits',
  ],
  [
    'new items that an order does not name come before all others, the last one first',
    'Strategic merge patches with an empty `$setElementOrder`',
  ],
  [
    'who wrote to the same object in another group owns nothing in this one',
    'Events in both groups: `metadata.managedFields`',
  ],
  ['who only agrees with what is there is recorded without a time', '`metadata.managedFields[i].time`'],
  ['a configuration that does not fit its kind is a bare 500', 'Apply: unknown fields, wrong types', 'applyValidation'],
  [
    "values of a wrong type are shown as the reference implementation's language prints them",
    'Apply: wrong types',
    'applyValidation',
  ],
  [
    'validation errors about a webhook name its fields as if they stood in the authorizer itself.',
    'AuthorizationConfiguration: `authorizers[i].webhook.*`',
  ],
  [
    'of entries of a literal that have the same key the last one counts, and an empty optional takes the key away',
    'Map literals in expressions',
  ],
  [
    'the sign of a quantity is a plain function, though all others are called on the quantity',
    "`sign(quantity('1'))` in expressions",
  ],
  [
    "there are always six digits, and the precision is the least width; Kubernetes' library passes it on as such",
    '`%e` of `format` in expressions',
  ],
  [
    'an empty text is found wherever the search begins, even outside of the text',
    '`indexOf`, `lastIndexOf` in expressions',
  ],
  ['names in maps count as having no length when costs are estimated', '`x-…-validations`: cost of map keys'],
  [
    'calls that walk a list do not know how long its items are when an expression made the list',
    '`x-…-validations`: cost of `join`, `sort` and the like',
  ],
  [
    "types of Kubernetes' own libraries count as messages whose definition is missing",
    'fields of quantities, versions and the authorizer in expressions',
  ],
  ['a move names the last part only', 'JSON patches of webhooks and policies: a move'],
  ['a replacement does not say what is wrong with an index', 'JSON patches of webhooks and policies: a replacement'],
  ['names in backticks are read, and refused', 'names in backticks in expressions'],
  ['`containsIP` does not say what is wrong with a text that is no address', '`containsIP` in expressions'],
  [
    'a kind that the wanted version does not have is converted to the one it is stored in.',
    '`keelson convert --output-version`',
  ],
  [
    'documents of the core group do not say of which version they are',
    '`/api`, `/api/v1` as protobuf: `apiVersion`, as it is in JSON',
  ],
  ['with a slash at its end the path of all groups has no aggregated document', '`/apis/`: 406 for who takes no other'],
  [
    'a path is chosen by types that are spelled out, `application/*` finds none',
    '`Accept: application/*` on resources (406 with empty details)',
  ],
  ['people at a terminal or a browser get indented JSON.', 'Answers to `curl`, `Wget` and browsers, without `?pretty`'],
  [
    'what is spelled out comes before what is anything, whatever their qualities, and no quality means never',
    '`Accept`: the order of clauses, `q=0`',
  ],
  ['unknown fields of a YAML body are told in alphabetical order', 'YAML bodies: order of warnings'],
  ['a body may leave out kind and apiVersion, the URL says them.', '`kind`, `apiVersion` of a body of a built-in kind'],
  [
    'without a namespace there is no path to namespaced custom resources but to read all of them',
    'Custom resources: no namespace',
  ],
  ['what follows a subresource of a custom resource does not count', 'Custom resources: `/status/more`'],
  [
    'a custom resource is also created by a path that names it, and nothing but its body counts',
    'Custom resources: POST',
  ],
  ['of a version that is none, nothing is shown', 'Server-side apply: `apiVersion` with two slashes'],
  [
    "messages name types as the reference implementation's language does",
    'Messages about a body that cannot be decoded',
  ],
  [
    'a media type with a malformed parameter is as good as none',
    '`Content-Type` with a malformed parameter (415; patches look at the type alone)',
  ],
  [
    'a yes-or-no alternative is always written, and is yes next to another one.',
    'Protobuf: `additionalProperties`, `items` of a CustomResourceDefinition',
  ],
  [
    'a key that repeats is read into what the first one has set',
    'JSON bodies with repeated keys: fields and keys add up, lists are read item by item',
  ],
  ['of several YAML documents the first one counts', 'YAML bodies with several documents'],
  ['YAML is read by the rules of version 1.1, in which y and no are booleans', 'YAML bodies: `y`, `no`, `on`'],
  [
    'an object outside namespaces may not have an owner inside one; it is reported and stays.',
    '`metadata.ownerReferences` of a cluster-scoped object',
  ],
  ['reviews of v1beta1 are not held to their kind and uid', 'Answers of conversion webhooks in v1beta1'],
  [
    'where there is no number of replicas, patches find this one, and may not leave it',
    'Scale of custom resources: `spec.replicas` (-2147483648)',
  ],
  ['what is built in answers for its group-versions alone', 'CustomResourceDefinitions of a built-in group-version'],
  ['custom resources name their verbs in this order', 'Discovery: `verbs` of custom resources'],
  ['a bundle of nothing but blanks is none', '`spec.conversion.webhook.clientConfig.caBundle`'],
  [
    'who asks for the aggregated document at all gets it, even if it would rather have the classic ones',
    '`Accept` of discovery requests',
  ],
  ["what is no number is answered in the words of Go's parser.", '`PUT /debug/flags/v`'],
  ['fields that selectors may name are told of custom resources only', 'OpenAPI: `x-…-selectable-fields`'],
  [
    'what custom resources say of themselves: neither all parameters nor all answers that they have',
    'OpenAPI: operations of custom resources',
  ],
  [
    'the older paths of watches are not told of custom resources',
    'OpenAPI: `/watch/` paths of custom resources (they are served)',
  ],
  [
    'subresources of custom resources are all about the kind itself',
    'OpenAPI: subresources of custom resources, also scale',
  ],
  ['paths outside the API are answered in plain text.', 'Paths outside `/api` and `/apis`: 404 and 405'],
  [
    'a resource that is about to go is shown without the verbs that write, though its objects can still be changed',
    'Discovery: `verbs` of a dying kind',
  ],
  ['expressions know the uid of a namespace as UID', '`namespaceObject.metadata.UID` in expressions'],
  [
    'of resources without subresources, only the last one counts next to an asterisk',
    '`rules[i].resources` of webhooks and policies',
  ],
  [
    'messages about approval name the page on which the policy was agreed',
    'Condition `KubernetesAPIApprovalPolicyConformant`',
  ],
  [
    'the common part of all versions is reported where older versions of the kind had it',
    '`spec.versions[i].schema` reported as `spec.validation`',
  ],
  [
    'the older version neither asks for approval nor for schemas, and objects may keep unknown fields',
    'CustomResourceDefinition v1beta1',
  ],
  [
    'neither a grace period nor a new generation is counted for definitions',
    'Delete of CustomResourceDefinitions: `generation`, `deletionGracePeriodSeconds`',
  ],
  [
    'validation errors repeat a rule with the names that its parts have inside of the reference implementation',
    '`x-…-validations[i]`',
  ],
  [
    "what may stand at the root of a schema is listed in the reference implementation's own names",
    'The root of `openAPIV3Schema`',
  ],
  [
    'the number of the template is kept in an annotation, whatever the client says about it',
    'Annotation `deprecated.daemonset.template.generation`',
  ],
  ['a selector that is missing is found by what it does not select', 'DaemonSet `spec.selector`'],
  ['a strategy of no known type is reported as a whole', 'Deployment `spec.strategy`, DaemonSet `spec.updateStrategy`'],
  [
    'a claim template says what kind it is, and that it is pending',
    'StatefulSet `spec.volumeClaimTemplates[i]`: `kind`, `apiVersion`, `status`',
  ],
  [
    'warnings about claim templates leave out the spec, or name it with a capital letter',
    'StatefulSet `spec.volumeClaimTemplates[i]`: warnings',
  ],
  ['validation errors about a review name its group and no kind.', 'SubjectAccessReview: `details` of a 422'],
  ['keys of user annotations are shown in small letters', 'PodCertificateRequest `spec.unverifiedUserAnnotations`'],
  [
    'what is wrong with a condition of a PodCertificateRequest is reported at a path with a dot too many',
    'PodCertificateRequest `status.conditions[i]`',
  ],
  ['a few columns have no description', 'Tables: `description` of columns of RuntimeClasses and LeaseCandidates'],
  ['an odd strategy of a LeaseCandidate is reported one step too deep', 'LeaseCandidate `spec.strategy`'],
  ['a dry run does not look whether an address is free', 'Service `spec.clusterIP` with `dryRun=All`'],
  [
    'a dry run shows the address of the network, it does not look for a free one',
    'Service `spec.clusterIP` with `dryRun=All`, not chosen',
  ],
  [
    'a malformed name of a request is reported without its place in the list',
    'Pod `status.extendedResourceClaimStatus.requestMappings[i].requestName`',
  ],
  ['names in envFrom may end as a prefix of a name may', 'Container `envFrom[i].prefix`'],
  [
    'ways of mounting are reported at the list of mounts, without the place of the mount in it',
    'Container `volumeMounts[i].mountPropagation`',
  ],
  [
    'a key that is no name is reported at the reference, not at its path',
    'Container `env[i].valueFrom.fieldRef.fieldPath`',
  ],
  ['a divisor is one of a few texts, not one of a few numbers', '`resourceFieldRef.divisor`'],
  ['the resource is shown where the divisor is meant', '`resourceFieldRef.divisor`: the value in the message'],
  [
    'what is no address is found twice, once as none and once as one of no known purpose',
    'Endpoints `subsets[i].addresses[j].ip`',
  ],
  ['validation errors name the reporting component as the version of the request does', 'Event `reportingComponent`'],
  ['only on finalize do validation errors about a finalizer say which one it is', 'Namespace `spec.finalizers[i]`'],
  [
    'a dry run looks whether a chosen port is free, and shows numbers beyond the usual range for the others',
    'Service `spec.ports[i].nodePort` with `dryRun=All`',
  ],
  [
    'validation errors about taints are reported below metadata, although taints are in the spec',
    'Node `spec.taints`, reported below `metadata`',
  ],
  [
    'a portal that is too long is reported without its capital letter',
    'PersistentVolume `spec.iscsi.targetPortal`, reported as `targetportal`',
  ],
  ['reported at the term, as if that were the list', 'Affinity `matchLabelKeys`, `mismatchLabelKeys`'],
  ['the type of a condition is reported with a capital', 'Pod `status.conditions[i].type`'],
  ['the families of addresses are told up to the first that is none', 'Pod `status.podIPs`, `status.hostIPs`'],
  [
    'containers that have no name repeat each other, init containers do not',
    'Pod `spec.containers`, `spec.initContainers`',
  ],
  [
    'a metric of no known type is reported before and after what is said of its source',
    'HorizontalPodAutoscaler `spec.metrics[i].type`',
  ],
  [
    'a device is shown with the names that the parts of its id have in the reference implementation',
    'ResourceClaim `status.devices[i]` that repeats another',
  ],
  [
    'the first byte is taken for the slash, whatever it is',
    '`clientConfig.service.path` of webhooks, without a slash in front',
  ],
  ['an envelope of protobuf whose version is none says no version', 'Bodies in protobuf: the version `a/b/c`'],
  [
    "what is wrong with a body of another version is told by that version's fields, before it is refused",
    'POST, PUT: another version than that of the URL',
  ],
  [
    'a configuration for the scale of a custom resource may say what is there, and nothing else',
    'Apply to the `scale` of a custom resource (500)',
  ],
  [
    'what is written through a view is recorded where a manager owns it already',
    '`scale` of custom resources: `managedFields`',
  ],
  [
    'what is wrong with an image is found twice on update, by the rules of containers and by those of changes',
    'Pod `spec.containers[i].image` on update',
  ],
  [
    'labels and annotations of a template are reported as if they stood next to its metadata',
    '`template.labels`, `template.annotations` of workloads',
  ],
  [
    'two of the namespaces of the node are named with a capital letter in validation errors',
    'Pod `spec.hostPID`, `spec.hostIPC`',
  ],
  [
    'validation errors about a file are reported at the source, without its place in the list',
    '`downwardAPI.items[i]` of volumes',
  ],
  [
    'what is wrong with the path of a token is reported at the volume, not at the token',
    '`projected.sources[i].serviceAccountToken.path`',
  ],
  ['endpoints of the same name go with a service.', 'Endpoints of a Service that is deleted'],
  [
    'the field of source ranges is named with a capital letter in validation errors',
    'Service `spec.loadBalancerSourceRanges`',
  ],
  [
    'validation errors inside of a disk of this kind are reported below persistentDisk, not below its own field',
    'Volumes: `gcePersistentDisk`',
  ],
  ['a path that is missing is no absolute path either', '`nfs.path`'],
  [
    'a malformed name of the Secret is reported at a field `name` that there is not',
    '`csi.nodePublishSecretRef` of pods',
  ],
  ['one field is reported under another name than it has', 'Warnings about the volume `storageos`, named `storageOS`'],
  ['an address of the other family is reported at the list of addresses', 'EndpointSlice `endpoints[i].addresses[j]`'],
  ['a change of the reason of an event is reported twice', 'Event `reason` on update'],
  [
    'zero shares became thirty before zero could be meant',
    'PriorityLevelConfiguration before v1beta3: `assuredConcurrencyShares: 0`',
  ],
  [
    'rows of addresses say how old they are in a cell that no column is about',
    'Tables of IPAddresses: a last cell with the age',
  ],
  [
    'what is wrong with overhead.podFixed is reported as if the amounts were limits of a container',
    'RuntimeClass `overhead.podFixed`',
  ],
  [
    'drivers are reported at paths that repeat the name of the list, or spell it in the singular',
    'PodSecurityPolicy `spec.allowedCSIDrivers`',
  ],
  [
    'names of attributes with more than one slash are not looked into',
    'ResourceSlice `attributes` with more than one slash',
  ],
  ['a change of spec.attachRequired is reported at a field that there is not', 'CSIDriver `spec.attachRequired`'],
  [
    'what is wrong with a topology key of a CSINode is reported at the driver',
    'CSINode `spec.drivers[i].topologyKeys[j]`',
  ],
  [
    'of a message of a VolumeAttachment that is too long the limit of its metadata is told',
    'VolumeAttachment `status.attachError.message`',
  ],
  [
    'an update that creates comes with the options of a create, a patch with those of an update',
    '`options` that admission sees',
  ],
  [
    'HEAD is answered for custom resources and passed on by proxies, and not answered for others',
    '`HEAD` on resources (405)',
  ],
  ['a list at any version is served whole', '`limit` with `resourceVersion=0`', 'limitAtAnyVersion'],
  [
    'a client that wants bookmarks is told where the state ends, also without asking for initial events',
    '`allowWatchBookmarks=true`',
    'stateEnd',
  ],
  [
    'a state that does not come in time is told by an ERROR event: the request itself was in order.',
    'Watch: `sendInitialEvents=true`',
  ],
  [
    'the last bookmark comes two seconds before the end, and a watch that is no longer than that has none',
    'Watch: the last BOOKMARK',
  ],
  ['the answer shows them as they were listed.', 'Delete of a collection: `items`'],
  [
    'only the old option not to orphan dependents makes a delete that has to wait an accepted one.',
    'DELETE with `orphanDependents: false` (202)',
  ],
  [
    'an empty list of managedFields resets those of built-in kinds as one with an empty entry does',
    '`metadata.managedFields: []`',
    'managedFieldsReset',
  ],
  [
    'a strategic merge patch that cannot be carried out is a bare 500',
    'Strategic merge patch with a directive that makes no sense',
  ],
  ['what is behind a pointer counts as one', 'Strategic merge patch: `$setElementOrder` of a field that is no list'],
  [
    'nothing can be merged into the members of a value that is taken as it is, or of a map',
    'Strategic merge patches of free-form values',
  ],
  [
    'without a version an object has the fields of metadata itself, and its other fields are unknown',
    'Patches that take the apiVersion away',
  ],
  ['an integer of a custom resource that 64 bits do not hold is a floating number', 'Custom resources: long integers'],
  [
    'a patch with unknown fields is invalid, where a body would be a bad request',
    'Patch with `fieldValidation=Strict`',
    'strictPatch',
  ],
  [
    'custom resources and connections have paths for all types',
    'Patch with an unknown `Content-Type` (415): only for custom resources it says what they take',
  ],
  [
    'one type of several is enough to find a path, and then only a single one is taken',
    'Patch with several types in `Content-Type` (415)',
  ],
  ['who reads a text must take what objects are written in, too', '`Accept: text/plain` on the log of a pod (406)'],
  [
    'lists and objects in validation errors are written with < > & escaped, plain texts are not',
    'Values in messages of a 422',
  ],
  ['what a client chose is made harmless for browsers in a refusal.', '`<`, `>` and `&` in the message of a 403'],
  ['an amount without digits is none, which is an amount too', 'Quantities: `m` is 0'],
  ['an amount that looks canonical is kept as it was written, such as 1.500 or +5', 'Quantities: `1.500`, `+5`'],
  ['small and fractional amounts in binary units are written in decimal ones', 'Quantities: `0.5Gi`'],
  [
    'only an absent flag, `0` and `false` in any case mean no; an empty value means yes.',
    'Flags in the query: `watch=`, `force=`, `verbose`',
  ],
  [
    'some failures are reported as a bare sentence, with neither reason nor details.',
    'Status without `reason` and `details`',
  ],
  [
    "a type without a protobuf form is named as in the reference implementation's language",
    '`Accept` protobuf where there is none (406)',
  ],
  ['what stands before the first slash of a pointer is not looked at', 'JSON patch: `path`, `from`'],
  [
    'an object with a grace period is shown with the time of its end before it goes',
    'Pod `metadata.deletionTimestamp`',
    'deletionTimestamp',
  ],
  ['a negative grace period counts as one second.', '`gracePeriodSeconds: -1`'],
  [
    'a full page of a selection is followed by another as long as there is anything left to look at',
    '`continue` of a list with a selector',
  ],
  ['what is wrong with an owner is reported without its place in the list', '`metadata.ownerReferences[i]`'],
  [
    "validation errors about metadata are listed more than once on update, by the generic and by the kind's validation",
    '`metadata` on update',
  ],
  [
    'a resourceVersion that is no number is a bare 500.',
    '`resourceVersion=abc`, get and watch',
    'invalidResourceVersion',
  ],
  [
    'kinds with fields of their own word it differently from those with metadata only',
    '`fieldSelector` with an unknown field',
  ],
  [
    'kinds with metadata only may be selected by a namespace even where they have none',
    '`fieldSelector=metadata.namespace=…` of cluster-scoped kinds',
  ],
  [
    'the resource stands where validation errors otherwise name the kind',
    'PUT without `metadata.resourceVersion`: `details.kind`',
  ],
  [
    'validation errors are listed as often as the rules of a kind look, which for some is twice on update',
    'Workloads and volumes on update',
  ],
  [
    'a delete answers with the object instead of a Status.',
    'DELETE of Pods, Services, Namespaces, quotas, and kinds of storage and devices',
  ],
  ['a change of annotations is a new generation too.', 'Deployment `metadata.generation`'],
  ['a change of labels counts as a new generation too.', 'EndpointSlice `metadata.generation`'],
  [
    'finalizers may have names without a domain, as those of definitions and of custom resources do',
    '`metadata.finalizers` of definitions and custom resources',
  ],
  ['PUT to a missing name creates it.', 'PUT of Events, Leases, Services, Endpoints, LimitRanges and others'],
  [
    'PUT without a resourceVersion is refused.',
    'PUT of Leases without `metadata.resourceVersion` (elsewhere it overwrites)',
  ],
  ['what the creator says about status is kept, although there is a subresource for it.', '`status` of new Nodes'],
  [
    "the version that discovery's storage hash names, where it is not the one we store.",
    'Discovery: `storageVersionHash`',
  ],
  [
    'an object with members that its schema does not describe always counts as changed',
    'Custom resources on update: errors that were there before',
  ],
  [
    'clients take members that are not listed for wrong, so none are listed where any may be',
    'OpenAPI of custom resources with `x-…-preserve-unknown-fields`',
  ],
  [
    'a member that may be anything is kept, and loses its own members, which nothing describes',
    'Custom resources: `additionalProperties: true`',
  ],
  [
    'validation errors about alternatives are reported at the whole value, which has no name in an object',
    'Custom resources: `anyOf`, `oneOf`, `not`',
  ],
  [
    'a value that is no text is told the format it should have, where there is one',
    'Custom resources: `format` of a value that is no string',
  ],
  [
    'a number that its type or format cannot hold is told twice, the second time at the whole value',
    'Custom resources: numbers that are too large',
  ],
  ['defaults are those of the version that an object was stored in', 'Custom resources: `default`'],
  [
    'unknown fields of custom resources are told in alphabetical order, those of metadata first',
    'Custom resources: order of warnings',
  ],
  [
    'unknown fields are not looked for in a value that may have several forms',
    'CustomResourceDefinition: `items`, `additionalProperties` in schemas',
  ],
  ['JSON ends with a newline, unless it is indented.', 'Answers in JSON'],
  ['kinds without a generation keep the one that a client gives to a new object.', '`metadata.generation` on create'],
  ['a new object has no generation, its first change gives it one.', 'CSIDriver `metadata.generation`'],
  [
    'a bookmark is an object in which nothing is set, and in a table it has a row like any other',
    'Watch: BOOKMARK',
    'bookmarkObject',
  ],
  [
    'fields that an object in which nothing is set has besides those that are always written',
    'BOOKMARK of Deployments and their like: `spec.replicas`',
  ],
  ['a table of none has null instead of an empty list of rows', 'Tables of kinds without columns of their own'],
  ['every event of a watch says what the columns are, not only the first one', 'Watch of APIServices in table form'],
  [
    'paths that name the verb are authorized whatever the query selects',
    '`/api/v1/watch/…?fieldSelector=…`: rights to named objects',
  ],
  [
    'terms are looked at by their text and not in their order, so that tells which of several wrong ones is told',
    '`fieldSelector` with several unknown fields',
  ],
  [
    'a field that cannot be selected by is refused with the name of the kind, or of its version as well',
    '`fieldSelector` of Jobs and ResourceSlices (400)',
  ],
  [
    'an annotation that stands for a field is shown with the whole object only',
    'DaemonSet: `deprecated.daemonset.template.generation`',
  ],
  ['messages name the type as one of this group', 'events.k8s.io: a form that there is not (406)'],
  ['an object without any name gets one of its own', 'LimitRange without `metadata.name`'],
  [
    'some kinds check this themselves, in other words',
    'DELETE with `preconditions`: Namespace, CustomResourceDefinition',
  ],
  ['a version that is no number counts as none', 'POST with `metadata.resourceVersion`'],
  ['bytes in a map are empty where they are null', 'Secret `data`, ConfigMap `binaryData`'],
  [
    'of several values of a wrong type the first is told, unless an amount, a time or a port is wrong too',
    'Bodies and patches: values of a wrong type',
  ],
  [
    'values of a wrong type in a strategic merge patch are told in other words than those in a body',
    'Strategic merge patches: values of a wrong type',
  ],
  ['bytes may also be given as a list of numbers; no value is zero', 'Fields of bytes'],
  [
    'a block of lines that ends with the body ends without a line break where the body does',
    'Bodies in YAML: the last text of `|` or `>`',
  ],
  ['the first line of a YAML body is not told', 'Bodies in YAML: which line is wrong'],
  [
    'what the grammar of YAML does not expect is told with the number of the line before',
    'Bodies in YAML: which line is wrong',
  ],
  [
    'of a custom resource it is a bare 500 that one object is no list of metadata',
    '`as=PartialObjectMetadataList` for one custom object',
  ],
  [
    'a term that says nothing repeats as many as there are, and each that said nothing before',
    'StorageClass `allowedTopologies`',
  ],
  ['double quotes are for texts that would be something else without them, other quotes are single', 'Answers in YAML'],
  [
    'a delete of another object than the client knows is refused in the name of the kind, not of the resource.',
    'DELETE with `preconditions`: `details.kind`',
  ],
  ['an update of another object with the same name fails in the words of the store', 'PUT with another `metadata.uid`'],
  ['the binding stands where the role is meant', 'NotFound of a role that a binding names'],
  ['a binding to something that is no node is an unexpected error', 'Binding `target.kind`'],
  ['options in the body are all options, whatever the query says', 'DELETE with a body: `dryRun` in the query'],
  ['the file in which the reference implementation looks for kinds of options', 'DELETE with a body of another kind'],
  ['a definition with a CA bundle that is none answers, but is not discovered', 'CustomResourceDefinition `caBundle`'],
  ['without a value, flags that name a file or the like are as if they were not given', '`--runtime-config=`'],
  ['words may also be separated by underscores.', 'Names of flags'],
  ['it answers every method.', 'Paths such as `/`, `/metrics`, `/livez` and `/apis`: POST is answered as GET'],
  [
    "the behaviour is carried with the reference's own names of its fields, all of them",
    'HorizontalPodAutoscaler v1: the annotation of `behavior`',
  ],
  [
    'the text is for people; a program that parses it meets another separator now and then.',
    '`/statusz` and `/flagz` as text',
  ],
  [
    'the path with a slash at its end is shown among the paths and has nothing to tell',
    '`/openapi/v3/` (404 without a body)',
  ],
  ['the deletes of a collection name none of its objects', '`request.name` of webhooks and policies'],
  [
    'what is refused before it gets to a handler tells browsers not to guess what it is',
    '`X-Content-Type-Options` of a 403',
  ],
  ['every number in a claim is a floating one, whole or not', '`claims` in expressions of AuthenticationConfiguration'],
  [
    "an identity without a name is shown as the reference implementation's language shows it",
    '`Impersonate-User:` without a name',
  ],
  [
    'what is written through another kind, such as a scale, is recorded without a time',
    '`scale`: `metadata.managedFields[i].time`',
  ],
  [
    'that a patch takes the apiVersion away is told as of an object that cannot be read',
    'PATCH of custom resources that removes `apiVersion`',
  ],
  [
    'the first version is also the one that older versions of the kind name outside of the list',
    'CustomResourceDefinition `v1beta1`: `spec.version`',
  ],
  [
    'what a structural schema has no place for is reported where nothing else is',
    'CustomResourceDefinition: keywords that a schema may not have',
  ],
  ['items may be told one by one, only to be refused', 'CustomResourceDefinition: `items` as a list'],
  ['a name of one label may have a dash as its second character, and no other', 'Custom resources: format `hostname`'],
  ['addresses may have needless zeros, or be wrapped in one of version 6', 'Custom resources: format `ipv4`'],
  ['what 64 bits cannot hold is a number with a fraction', 'Custom resources: type `integer`'],
  [
    'whole numbers are held to limits without fractions; limits that their type cannot hold are told, too',
    'Custom resources: `minimum`, `maximum`, `multipleOf`',
  ],
  ['a format that a type cannot have counts for defaults, and not for objects', 'Custom resources: `format`'],
  ['a list may stand where a text of some format should', 'Custom resources: `format` of texts'],
  [
    'a number is one of several values if it is without its fraction, or as the number of a letter',
    'Custom resources: `enum`',
  ],
  [
    'fields to select by that lack a schema, or share no place with it, are told to need none',
    'CustomResourceDefinition: `versions[i].selectableFields`',
  ],
  [
    'an object with an item that lacks the keys of its list has no managedFields any more',
    'PUT, PATCH: `metadata.managedFields`',
  ],
  [
    'one field of metadata is spelt in another way here',
    'ResourceClaimTemplate, ephemeral volumes: `metadata.uid` of the template',
  ],
  [
    'where two sources do not go together, the value that is shown is an empty object',
    'PersistentVolumeClaim `spec.dataSource` and `spec.dataSourceRef`',
  ],
  ['a key that has no newer name may be left out', 'PersistentVolume `spec.nodeAffinity`: changes'],
  [
    'operators of a feature that is off are refused, and named as supported',
    'Tolerations with the operators `Lt` and `Gt`',
  ],
  [
    'a change of a replication controller is warned of by its template before the change',
    'ReplicationController: warnings on update',
  ],
  [
    'a node port that a change gives to two ports is an error of the server',
    'Service `spec.ports[*].nodePort`: a 500 on update',
  ],
  ['what is wrong with the class of a load balancer is listed twice on update', 'Service `spec.loadBalancerClass`'],
  [
    'a dry run shows the version that the client gave, as it never got one',
    'POST with a `resourceVersion` and `dryRun=All`',
  ],
  [
    'a dry run does not come as far as the store, which takes a selfLink away',
    'PUT with a `selfLink` and `dryRun=All`',
  ],
  ['a dry run does not come as far as the store, which has a root', 'PUT with another `uid` and `dryRun=All`'],
  [
    'an object whose annotation for a rollback is no number cannot be read',
    'Deployment: `deprecated.deployment.rollback.to` (400)',
  ],
  [
    'an object whose annotation for the number of its template is no number cannot be read',
    'DaemonSet: `deprecated.daemonset.template.generation` (400)',
  ],
  [
    'a name that is taken is told as one that was generated where a prefix is given next to it',
    'POST with `name` and `generateName` (409)',
  ],
  [
    'what names begin with may be anything where only whole names are looked at',
    'DeviceClass, ReplicationController: `metadata.generateName`',
  ],
  [
    'a list or map that is given empty where there was none counts as a new generation.',
    'NetworkPolicy, webhook configurations: `metadata.generation`',
  ],
  [
    'a list in which something was given empty is another one, where it has one owner',
    '`managedFields` of lists without keys',
  ],
  [
    'a change of a field that is dropped because its feature is off counts as a new generation.',
    'ResourceSlice, EndpointSlice: `generation`',
  ],
  [
    'an integer or a string may be anything there, and so may what a list holds twice',
    'CustomResourceDefinition: defaults of integers, texts and sets',
  ],
  [
    'the kind of a built-in resource is named without the group and version it is in',
    'Aggregated discovery: `responseKind`',
  ],
  ['the index of OpenAPI 3 says that it is plain text', '`/openapi/v3`: content type'],
  [
    'lists of groups follow the stored APIServices, the aggregated document does not',
    '`/apis` after APIServices were changed or deleted',
  ],
  [
    'what is wrong with the options of a watch is told before a form that objects have and streams do not',
    'Watch: options and `Accept` that are both wrong',
  ],
  [
    'the role is shown with the names that its fields have inside the reference implementation',
    'RoleBinding: a changed `roleRef`',
  ],
  [
    'a service without a namespace is reported at its name, and one without a name at its namespace',
    'Webhook configurations: `clientConfig.service`',
  ],
  [
    "a strategic merge patch is shown as the reference implementation's language shows it",
    'Strategic merge patches: messages that show the patch',
  ],
  [
    'groups may have the same name. Names do not count for a match: those that repeat are left out.',
    '`matches()` and `pattern`: names of groups',
  ],
  [
    'what is left of an expression is told, also where that is nothing',
    '`matches()` and `pattern`: a backslash at the end',
  ],
  [
    'a patch of another object is refused in the name of the view, an update in that of its parent.',
    '`scale` and the like: a body of another name',
  ],
  [
    'the label is what etcd would be called, whatever the store is',
    '`apiserver_storage_size_bytes`: `storage_cluster_id`',
  ],
  ['under the names of etcd, whatever the store is.', 'Metrics `etcd_*`'],
  ['a list that is always written and has no items is stored as none', 'Lists that are given empty'],
  [
    'what a custom resource does not have is refused by its name',
    'Custom resources: versions and subresources that are missing (404)',
  ],
];
