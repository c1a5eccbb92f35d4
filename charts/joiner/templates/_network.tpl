{{- define "joiner.ingress" -}}
- ports:
    - { protocol: TCP, port: http }
  from:
    {{- if .Values.networkPolicy.scrapers }}
    {{- toYaml .Values.networkPolicy.scrapers | nindent 4 }}
    # The chart's own test.
    - podSelector:
        matchLabels: {{- include "joiner.selector" (list . "test") | nindent 10 }}
    {{- else }}
    - namespaceSelector: {}
    {{- end }}
{{- end -}}

{{/* Names cannot be allowed here, so HTTPS goes anywhere unless it is narrowed. Call with (list $ ports). */}}
{{- define "joiner.egress" -}}
- ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
- ports:
    {{- $proxy := include "joiner.proxy.port" (first .) }}
    {{- range uniq (concat (last .) (ternary (list (int64 $proxy)) list (ne $proxy ""))) }}
    - { protocol: TCP, port: {{ int64 . }} }
    {{- end }}
  {{- with (first .).Values.networkPolicy.httpsTo }}
  to:
    {{- range . }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
  {{- end }}
{{- end -}}
