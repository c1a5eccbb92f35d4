import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { err, ok, type Result } from '../shared/base/result.ts'
import { defined, ownValue } from '../shared/base/values.ts'
import { PUBLIC_CLOUD } from '../shared/model/cloud.ts'
import { type Problem, problem } from '../shared/model/problem.ts'
import { isLoopback } from './loopback.ts'
import type { OutsideProxy } from './outsideAgent.ts'
import type { WorkloadIdentity } from './post/tokenSource.ts'
import { AUDIENCE_FALLBACK, CLUSTER_SETTING, NUMBER_SETTINGS, type NumberSettingName } from './settings.ts'

export type Env = { readonly [name: string]: string | undefined }

export type ShimConfig = ForwarderConfig | SpotConfig

type CommonConfig = {
  readonly cluster: string
  readonly identity: WorkloadIdentity | undefined
  readonly proxy: OutsideProxy
  readonly httpPort: number
}

export type ForwarderConfig = CommonConfig & {
  readonly mode: 'forwarder'
  readonly endpoint: URL
  readonly functionKey: () => string | undefined
  /** The file in which the kubelet keeps the service account's token for this app. Undefined if the token comes from Entra. */
  readonly tokenFile: string | undefined
  readonly audience: string
  readonly lease: { readonly namespace: string; readonly name: string }
  readonly podName: string
  readonly windowMs: number
  readonly batchBytes: number
  readonly batchChanges: number
  readonly resendMs: number
  readonly unsentBytes: number
}

export type SpotConfig = CommonConfig & {
  readonly mode: 'spot'
  readonly node: string
  readonly imdsEndpoint: URL
  readonly topicEndpoint: URL
  readonly topicKey: string | undefined
  readonly pollMs: number
}

/** Reads every setting from the environment, once. Returns all problems together; each problem names its setting. */
export function parseConfig(env: Env): Result<ShimConfig, readonly Problem[]> {
  const reader = createReader(env)
  const mode = reader.oneOf('MODE', ['forwarder', 'spot'], 'forwarder')
  const common = {
    cluster: reader.matching('JOINER_CLUSTER', CLUSTER_SETTING.rule, CLUSTER_SETTING.inWords),
    identity: identityFrom(reader, env),
    proxy: proxyFrom(reader),
    httpPort: reader.integer('HTTP_PORT'),
  }
  const config: ShimConfig =
    mode === 'spot' ? { ...common, ...spotSettings(reader, env) } : { ...common, ...forwarderSettings(reader, env) }
  return reader.problems.length === 0 ? ok(config) : err(reader.problems)
}

function forwarderSettings(reader: Reader, env: Env): Omit<ForwarderConfig, keyof CommonConfig> {
  return {
    mode: 'forwarder',
    endpoint: reader.url('JOINER_ENDPOINT'),
    functionKey: functionKeyFrom(reader, env),
    tokenFile: reader.path('JOINER_TOKEN_FILE'),
    audience: reader.text('JOINER_AUDIENCE', AUDIENCE_FALLBACK),
    lease: { namespace: reader.text('LEASE_NAMESPACE', 'joiner'), name: reader.text('LEASE_NAME', 'joiner-shim') },
    podName: reader.required('POD_NAME'),
    windowMs: reader.integer('BATCH_WINDOW_MS'),
    batchBytes: reader.integer('BATCH_MAX_BYTES'),
    batchChanges: reader.integer('BATCH_MAX_CHANGES'),
    resendMs: reader.integer('RESEND_INTERVAL_SECONDS') * 1000,
    unsentBytes: reader.integer('UNSENT_MAX_BYTES'),
  }
}

function spotSettings(reader: Reader, env: Env): Omit<SpotConfig, keyof CommonConfig> {
  return {
    mode: 'spot',
    node: reader.required('NODE_NAME'),
    // the platform serves this address link-local and as plain http only
    imdsEndpoint: reader.url('IMDS_ENDPOINT', { fallback: 'http://169.254.169.254', plain: ['169.254.169.254'] }),
    topicEndpoint: reader.url('EVENT_GRID_TOPIC_ENDPOINT'),
    topicKey: topicKeyFrom(reader, env),
    pollMs: reader.integer('IMDS_POLL_MS'),
  }
}

/** Returns the key of the topic. A key is required where the pod has no workload identity. */
function topicKeyFrom(reader: Reader, env: Env): string | undefined {
  const key = reader.optional('EVENT_GRID_TOPIC_KEY')
  if (key === undefined && !env['AZURE_FEDERATED_TOKEN_FILE'])
    reader.refuse('EVENT_GRID_TOPIC_KEY', 'is required where there is no workload identity')
  return key
}

/** Returns the identity that the workload identity webhook gave the pod. Undefined if the webhook gave the pod none: then there is no Entra token. */
function identityFrom(reader: Reader, env: Env): WorkloadIdentity | undefined {
  if (!env['AZURE_FEDERATED_TOKEN_FILE']) return undefined
  return {
    clientId: reader.required('AZURE_CLIENT_ID'),
    tenantId: reader.required('AZURE_TENANT_ID'),
    authorityHost: reader.url('AZURE_AUTHORITY_HOST', { fallback: PUBLIC_CLOUD.facts.authority }),
    federatedTokenFile: reader.required('AZURE_FEDERATED_TOKEN_FILE'),
  }
}

/** The client of Event Grid reads the same variables by itself. */
function proxyFrom(reader: Reader): OutsideProxy {
  const address = reader.optional('HTTPS_PROXY')
  const url = address === undefined ? undefined : URL.parse(address)
  if (url === null || !['http:', 'https:', undefined].includes(url?.protocol))
    reader.refuse('HTTPS_PROXY', `${JSON.stringify(address)} has to be the http or https URL of a proxy`)
  return defined({ HTTPS_PROXY: address, NO_PROXY: reader.optional('NO_PROXY') })
}

/** Returns a function that gives the function key. A key in a file is read at each post, so that a rotated key counts without a restart. */
function functionKeyFrom(reader: Reader, env: Env): () => string | undefined {
  const file = env['JOINER_FUNCTION_KEY_FILE']
  if (!file) {
    const key = reader.optional('JOINER_FUNCTION_KEY')
    return () => key
  }
  if (!existsSync(file)) reader.refuse('JOINER_FUNCTION_KEY_FILE', `there is no file ${file}`)
  return () => readFileSync(file, 'utf8').trim()
}

type Reader = ReturnType<typeof createReader>

function createReader(env: Env) {
  const problems: Problem[] = []
  const refuse = (name: string, rule: string): void => {
    problems.push(problem('SETTING.INVALID', `setting ${name}: ${rule}`, { path: name }))
  }
  const optional = (name: string): string | undefined => (ownValue(env, name) === '' ? undefined : ownValue(env, name))
  const required = (name: string): string => {
    const value = optional(name)
    if (value === undefined) refuse(name, 'is required; set it')
    return value ?? ''
  }
  return {
    problems,
    refuse,
    optional,
    required,
    text: (name: string, fallback: string): string => optional(name) ?? fallback,
    /** Does not look at the file: it may be created later. */
    path(name: string): string | undefined {
      const value = optional(name)
      if (value !== undefined && !isAbsolute(value)) refuse(name, `${JSON.stringify(value)} has to be an absolute path`)
      return value
    },
    matching(name: string, rule: RegExp, inWords: string): string {
      const value = required(name)
      if (value !== '' && !rule.test(value)) refuse(name, `${JSON.stringify(value)} has to be ${inWords}`)
      return value
    },
    oneOf<Value extends string>(name: string, values: readonly Value[], fallback: Value): Value {
      const value = optional(name) ?? fallback
      const found = values.find((each) => each === value)
      if (found === undefined) refuse(name, `${JSON.stringify(value)} has to be one of ${values.join(', ')}`)
      return found ?? fallback
    },
    integer(name: NumberSettingName): number {
      const { fallback, least, most } = NUMBER_SETTINGS[name]
      const value = Number(optional(name) ?? fallback)
      if (Number.isInteger(value) && value >= least && value <= most) return value
      refuse(name, `${JSON.stringify(env[name])} has to be a whole number from ${least} to ${most}`)
      return fallback
    },
    /** Accepts https. Accepts http to this machine or to a host in `plain`. */
    url(name: string, { fallback, plain = [] }: { fallback?: string; plain?: readonly string[] } = {}): URL {
      const value = optional(name) ?? fallback ?? required(name)
      const url = URL.parse(value)
      if (url !== null && isSafe(url, plain)) return url
      if (value !== '') refuse(name, `${JSON.stringify(value)} has to be an https URL; http is allowed to a loopback address only`)
      return new URL('https://invalid.invalid')
    },
  }
}

function isSafe(url: URL, plain: readonly string[]): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && (isLoopback(url.hostname) || plain.includes(url.hostname)))
}
