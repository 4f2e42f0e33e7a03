{{- /* A label has up to 63 characters, and the Job's ends in -migrate. */}}
{{- define "name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 55 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 55 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "labels" -}}
{{ include "selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{- /* JSON, since Helm prints the number 1000000 as 1e+06. */}}
{{- define "environment" -}}
{{- $own := dict "PORT" "3000" }}
{{- if .Values.metrics.enabled }}{{ $_ := set $own "METRICS_PORT" (toString .Values.metrics.port) }}{{ end }}
{{- if .Values.migrations.job }}{{ $_ := set $own "MIGRATE_ON_START" "false" }}{{ end }}
env:
  {{- range $name, $value := .Values.settings }}
  {{- if not (hasKey $own $name) }}
  - name: {{ $name }}
    value: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }}
  {{- end }}
  {{- end }}
  {{- range $name, $value := $own }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- $from := .Values.extraEnvFrom }}
{{- if or .Values.existingSecret (not .Values.settings.DATABASE_URL_FILE) }}
{{- $secret := required "existingSecret must name a Secret with DATABASE_URL and SECRETS_KEY" .Values.existingSecret }}
{{- $from = prepend $from (dict "secretRef" (dict "name" $secret)) }}
{{- end }}
{{- with $from }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "volumeMounts" -}}
{{- with .Values.extraVolumeMounts }}
volumeMounts:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "podOptions" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.extraVolumes }}
volumes:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
