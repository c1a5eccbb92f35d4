{{- define "joiner.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}{{- else -}}{{ .repository }}:{{ default $.Chart.AppVersion .tag }}{{- end -}}
{{- end -}}
{{- end -}}

{{/* The restricted Pod Security Standard, and a root file system nobody writes to. */}}
{{- define "joiner.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "joiner.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Numbers under their environment names: batchWindowMs is BATCH_WINDOW_MS. */}}
{{- define "joiner.settings" -}}
{{- range $name, $value := . }}
- name: {{ snakecase $name | upper }}
  value: {{ int64 $value | quote }}
{{- end }}
{{- end -}}

{{- define "joiner.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 1
  timeoutSeconds: 1
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 5
  timeoutSeconds: 2
  failureThreshold: 2
{{- end -}}

{{/* Not empty when the forwarder mounts anything. */}}
{{- define "joiner.shim.hasVolumes" -}}
{{- if or (eq .Values.shimAuth "serviceAccount") .Values.functionKey.secretName -}}yes{{- end -}}
{{- end -}}

{{/* What the workload identity webhook reads. Call with (list $ clientId). */}}
{{- define "joiner.identity" -}}
azure.workload.identity/client-id: {{ last . | quote }}
{{- with (first .).Values.identity.tenantId }}
azure.workload.identity/tenant-id: {{ . | quote }}
{{- end }}
{{- end -}}
