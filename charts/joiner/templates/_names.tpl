{{/* Short enough for the longest suffix; what is cut off goes on in a hash, so that two long names stay two. */}}
{{- define "joiner.fullname" -}}
{{- $chart := default .Chart.Name .Values.nameOverride -}}
{{- $name := default (ternary .Release.Name (printf "%s-%s" .Release.Name $chart) (contains $chart .Release.Name)) .Values.fullnameOverride -}}
{{- if gt (len $name) 40 -}}
{{- printf "%s-%s" (trunc 33 $name | trimSuffix "-") (sha256sum $name | trunc 6) -}}
{{- else -}}
{{- $name -}}
{{- end -}}
{{- end -}}

{{- define "joiner.shim.name" -}}{{ include "joiner.fullname" . }}-shim{{- end -}}
{{- define "joiner.authorities.name" -}}{{ include "joiner.fullname" . }}-authorities{{- end -}}
{{- define "joiner.reader.name" -}}{{ include "joiner.fullname" . }}-reader{{- end -}}
{{- define "joiner.spot.name" -}}{{ include "joiner.fullname" . }}-spot{{- end -}}

{{/* How the API server names the two service accounts. */}}
{{- define "joiner.shim.username" -}}system:serviceaccount:{{ .Release.Namespace }}:{{ include "joiner.shim.name" . }}{{- end -}}
{{- define "joiner.spot.username" -}}system:serviceaccount:{{ .Release.Namespace }}:{{ include "joiner.spot.name" . }}{{- end -}}

{{/* Of every machine that joins; with a colon and its name behind it, of one. */}}
{{- define "joiner.bootstrap.group" -}}system:bootstrappers:joiner{{- end -}}

{{/* What never changes in the life of a release, for selectors. Call with (list $ component). */}}
{{- define "joiner.selector" -}}
{{- $root := first . -}}
app.kubernetes.io/name: {{ default $root.Chart.Name $root.Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ last . }}
{{- end -}}

{{- define "joiner.labels" -}}
{{- $root := first . -}}
{{ include "joiner.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
app.kubernetes.io/part-of: joiner
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with $root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}
