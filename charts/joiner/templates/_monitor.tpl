{{/* Not empty when Prometheus is to be told where the metrics are. */}}
{{- define "joiner.monitored" -}}
{{- $api := printf "%s/v1/%s" .Values.monitor.apiGroup .Values.monitor.kind -}}
{{- if or (eq .Values.monitor.create "always") (and (eq .Values.monitor.create "auto") (.Capabilities.APIVersions.Has $api)) -}}yes{{- end -}}
{{- end -}}
