package replay

import (
	"encoding/json"
	"strings"
)

// A script shows the plural of a resource and, once an object has come, its
// kind. People type its short name, and for an empty list there is no kind. So
// what a script does not say is taken from the discovery that it has recorded
// and, where it has none, from the table below.

// usual are the types that people name most, and that clusters of all versions
// have: short names are those of kubectl api-resources.
var usual = []struct {
	group, names string // plurals with their kinds and short names
	cluster      bool
}{
	{"", "pods/Pod/po services/Service/svc configmaps/ConfigMap/cm secrets/Secret events/Event/ev endpoints/Endpoints/ep" +
		" serviceaccounts/ServiceAccount/sa persistentvolumeclaims/PersistentVolumeClaim/pvc replicationcontrollers/ReplicationController/rc" +
		" resourcequotas/ResourceQuota/quota limitranges/LimitRange/limits", false},
	{"", "namespaces/Namespace/ns nodes/Node/no persistentvolumes/PersistentVolume/pv", true},
	{"apps", "deployments/Deployment/deploy replicasets/ReplicaSet/rs statefulsets/StatefulSet/sts daemonsets/DaemonSet/ds" +
		" controllerrevisions/ControllerRevision", false},
	{"batch", "jobs/Job cronjobs/CronJob/cj", false},
	{"autoscaling", "horizontalpodautoscalers/HorizontalPodAutoscaler/hpa", false},
	{"policy", "poddisruptionbudgets/PodDisruptionBudget/pdb", false},
	{"networking.k8s.io", "ingresses/Ingress/ing networkpolicies/NetworkPolicy/netpol", false},
	{"networking.k8s.io", "ingressclasses/IngressClass", true},
	{"discovery.k8s.io", "endpointslices/EndpointSlice", false},
	{"coordination.k8s.io", "leases/Lease", false},
	{"events.k8s.io", "events/Event/ev", false},
	{"rbac.authorization.k8s.io", "roles/Role rolebindings/RoleBinding", false},
	{"rbac.authorization.k8s.io", "clusterroles/ClusterRole clusterrolebindings/ClusterRoleBinding", true},
	{"storage.k8s.io", "storageclasses/StorageClass/sc csidrivers/CSIDriver csinodes/CSINode volumeattachments/VolumeAttachment", true},
	{"scheduling.k8s.io", "priorityclasses/PriorityClass/pc", true},
	{"certificates.k8s.io", "certificatesigningrequests/CertificateSigningRequest/csr", true},
	{"apiextensions.k8s.io", "customresourcedefinitions/CustomResourceDefinition/crd,crds", true},
}

// usualResource finds a resource in the table, in whatever version.
func usualResource(group, plural string) (r Resource, ok bool) {
	for _, u := range usual {
		if u.group != group {
			continue
		}
		for name := range strings.FieldsSeq(u.names) {
			parts := strings.Split(name, "/")
			if parts[0] != plural {
				continue
			}
			r = Resource{Group: group, Plural: plural, Kind: parts[1], Cluster: u.cluster}
			if len(parts) > 2 {
				r.ShortNames = strings.Split(parts[2], ",")
			}
			return r, true
		}
	}
	return r, false
}

// discovered are the resources that an answer to a discovery request names, in
// the aggregated form or the plain one; none for anything else.
func discovered(body []byte) (found []Resource) {
	var d struct {
		Kind         string
		GroupVersion string
		Resources    []struct { // of an APIResourceList
			Name, Kind string
			Namespaced bool
			ShortNames []string
		}
		Items []struct { // of an APIGroupDiscoveryList
			Metadata struct{ Name string }
			Versions []struct {
				Version   string
				Resources []struct {
					Resource     string
					ResponseKind struct{ Kind string }
					Scope        string
					ShortNames   []string
				}
			}
		}
	}
	// Most of a recording is other JSON, whose members have other types.
	if kind := lookupString(body, "kind"); kind != "APIResourceList" && kind != "APIGroupDiscoveryList" || json.Unmarshal(body, &d) != nil {
		return nil
	}
	group, version, grouped := strings.Cut(d.GroupVersion, "/")
	if !grouped {
		group, version = "", d.GroupVersion
	}
	for _, r := range d.Resources {
		found = append(found, Resource{Group: group, Version: version, Plural: r.Name, Kind: r.Kind, Cluster: !r.Namespaced, ShortNames: r.ShortNames})
	}
	for _, g := range d.Items {
		for _, v := range g.Versions {
			for _, r := range v.Resources {
				found = append(found, Resource{Group: g.Metadata.Name, Version: v.Version, Plural: r.Resource,
					Kind: r.ResponseKind.Kind, Cluster: r.Scope == "Cluster", ShortNames: r.ShortNames})
			}
		}
	}
	return found
}
