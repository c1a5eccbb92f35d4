{{/* The API server knows a managed identity by its object id. */}}
{{- define "joiner.app.subjects" -}}
- apiGroup: rbac.authorization.k8s.io
  kind: User
  name: {{ .Values.app.objectId | lower | quote }}
{{- end -}}

{{- define "joiner.app.isApp" -}}
- name: is-the-app
  expression: request.userInfo.username == '{{ .Values.app.objectId | lower }}'
{{- end -}}

{{/* The deletion cost that the app writes on pods, as the app's code has it. */}}
{{- define "joiner.app.deletionCost" -}}
-30011
{{- end -}}
