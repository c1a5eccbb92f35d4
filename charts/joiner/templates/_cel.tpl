{{/*
CEL in an admission policy has no function that reads base64. These are variables and expressions that do, with tables: of the 64 digits, of
each byte as a character (a question mark for what is neither printable nor the end of a line), and of each byte as two hexadecimal digits. The
tables are texts, because CEL makes a list anew, entry by entry, for each request.
*/}}
{{- define "joiner.cel.tables" -}}
{{- $characters := list -}}
{{- $hexes := list -}}
{{- range $byte := until 256 -}}
{{- $isText := or (eq $byte 10) (and (ge $byte 32) (lt $byte 127)) -}}
{{- $characters = append $characters (ternary (printf "%c" $byte) "?" $isText) -}}
{{- $hexes = append $hexes (printf "%02x" $byte) -}}
{{- end -}}
- name: digits
  expression: "'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'"
- name: characters
  expression: {{ join "" $characters | toJson | quote }}
- name: hexes
  expression: "'{{ join "" $hexes }}'"
{{- end -}}

{{/* Two hexadecimal digits of a byte. Call with an expression of the number. */}}
{{- define "joiner.cel.hex" -}}
variables.hexes.substring(2 * ({{ . }}), 2 * ({{ . }}) + 2)
{{- end -}}

{{/* The character of a byte. Call with an expression of the number. */}}
{{- define "joiner.cel.character" -}}
variables.characters.substring({{ . }}, {{ . }} + 1)
{{- end -}}

{{/*
Each four digits become one number of 24 bits, and that three entries of a table. Call with (list base64 entry), where `entry` is the name of the
template of an entry.
*/}}
{{- define "joiner.cel.decoded" -}}
{{- $entry := last . -}}
{{ first . }}.replace('=', 'A').findAll('.{4}').map(four,
variables.digits.indexOf(four.substring(0, 1)) * 262144 + variables.digits.indexOf(four.substring(1, 2)) * 4096
+ variables.digits.indexOf(four.substring(2, 3)) * 64 + variables.digits.indexOf(four.substring(3, 4))
).map(bits, {{ include $entry "bits / 65536" }} + {{ include $entry "bits / 256 % 256" }} + {{ include $entry "bits % 256" }}).join('')
{{- end -}}

{{/* The same as text, without the characters that only fill up. Call with an expression of base64. */}}
{{- define "joiner.cel.text" -}}
{{- $decoded := include "joiner.cel.decoded" (list . "joiner.cel.character") -}}
[{{ $decoded }}].map(text, text.substring(0, text.size() - ({{ . }}.endsWith('==') ? 2 : {{ . }}.endsWith('=') ? 1 : 0)))[0]
{{- end -}}
