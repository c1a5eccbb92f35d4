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
{{- if or (eq .Values.shimAuth "serviceAccount") .Values.functionKey.secretName .Values.trustedCertificates -}}yes{{- end -}}
{{- end -}}

{{/*
The way out of the cluster. A name stands for those below it, too, as AKS and most programs read NO_PROXY; Node wants a dot for that. AKS would inject
variables of its own beside these.
*/}}
{{- define "joiner.proxy.env" -}}
{{- with .Values.proxy.url }}
- name: HTTPS_PROXY
  value: {{ . | quote }}
{{- end }}
{{- if and .Values.proxy.url .Values.proxy.noProxy }}
{{- $names := list -}}
{{- range .Values.proxy.noProxy -}}
{{- $names = append $names . -}}
{{- if regexMatch "^[A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z]$" . -}}{{- $names = append $names (printf ".%s" .) -}}{{- end -}}
{{- end }}
- name: NO_PROXY
  value: {{ join "," $names | quote }}
{{- end }}
{{- if .Values.trustedCertificates }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/joiner/authorities.pem
{{- end }}
{{- end -}}

{{/* The port of the proxy, for the network policies. */}}
{{- define "joiner.proxy.port" -}}
{{- with .Values.proxy.url -}}
{{- $port := regexFind "[0-9]+$" (regexFind ":[0-9]+$" (trimSuffix "/" .)) -}}
{{- default (ternary "443" "80" (hasPrefix "https:" .)) $port -}}
{{- end -}}
{{- end -}}

{{/* Node reads the file at its start: a change restarts the pods. Call with (list $ podAnnotations). */}}
{{- define "joiner.podAnnotations" -}}
kubernetes.azure.com/no-http-proxy-vars: 'true'
{{- with (first .).Values.trustedCertificates }}
joiner.dev/authorities: {{ sha256sum . }}
{{- end }}
{{- with last . }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "joiner.authorities.mount" -}}
- name: authorities
  mountPath: /etc/joiner
  readOnly: true
{{- end -}}

{{- define "joiner.authorities.volume" -}}
- name: authorities
  configMap:
    name: {{ include "joiner.authorities.name" . }}
{{- end -}}

{{/* What the workload identity webhook reads. Call with (list $ clientId). */}}
{{- define "joiner.identity" -}}
azure.workload.identity/client-id: {{ last . | quote }}
{{- with (first .).Values.identity.tenantId }}
azure.workload.identity/tenant-id: {{ . | quote }}
{{- end }}
{{- end -}}
