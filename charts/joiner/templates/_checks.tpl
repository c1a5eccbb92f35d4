{{/* What a schema cannot say well: everything an installation has to know, with where to find it. */}}
{{- define "joiner.check" -}}
{{- $_ := required "cluster is required: the cluster's id, as in the app's JOINER_CLUSTERS" .Values.cluster -}}
{{- $_ := required "endpoint is required: the https address of the function app (azd env get-value JOINER_APP_ENDPOINT)" .Values.endpoint -}}
{{- $_ := required "app.objectId is required: the object id of the app's managed identity (azd env get-value JOINER_APP_PRINCIPAL_ID)" .Values.app.objectId -}}
{{- if eq .Values.shimAuth "entra" -}}
{{- $_ := required "identity.clientId is required: the client id of the shim's managed identity (azd env get-value JOINER_SHIM_CLIENT_IDS), or set shimAuth to serviceAccount" .Values.identity.clientId -}}
{{- end -}}
{{- if .Values.spot.enabled -}}
{{- $_ := required "spot.topicEndpoint is required: the https address of the Event Grid topic (azd env get-value JOINER_TOPIC_ENDPOINTS), or set spot.enabled to false" .Values.spot.topicEndpoint -}}
{{- $_ := required "spot.clientId or identity.clientId is required: the client id of the managed identity that may send to the topic (azd env get-value JOINER_SHIM_CLIENT_IDS), or set spot.enabled to false" (default .Values.identity.clientId .Values.spot.clientId) -}}
{{- end -}}
{{- include "joiner.check.machinePrefix" . -}}
{{- include "joiner.check.definitions" . -}}
{{- end -}}

{{- define "joiner.check.machinePrefix" -}}
{{- $prefix := .Values.machinePrefix -}}
{{- if or (not (regexMatch "^[a-z][a-z0-9-]{0,14}-$" $prefix)) (hasPrefix "aks" $prefix) -}}
{{- fail (printf "machinePrefix is %q: it begins with a letter, not with aks-, has 2 to 16 lower case letters, digits and hyphens, and ends with a hyphen" $prefix) -}}
{{- end -}}
{{- end -}}

{{/* A lookup answers nothing without a cluster; every cluster has kube-system. */}}
{{- define "joiner.check.definitions" -}}
{{- if and .Values.requireDefinitions (lookup "v1" "Namespace" "" "kube-system") -}}
{{- range list "nodepools.karpenter.sh" "nodeclaims.karpenter.sh" "aksnodeclasses.karpenter.azure.com" -}}
{{- if not (lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" .) -}}
{{- fail (printf "this cluster has no definition %s: install the chart joiner-crd first, or set requireDefinitions to false" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
