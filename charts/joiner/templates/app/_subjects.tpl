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
