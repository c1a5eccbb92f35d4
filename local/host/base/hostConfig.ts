import { ownValue } from '../../../shared/base/values.ts'
import { HostError } from './hostError.ts'
import { LOG_LEVELS, type LogLevel, type LogLevels } from './hostLog.ts'
import { parseTimeSpan } from './timeSpan.ts'

export type QueuesConfig = {
  readonly batchSize: number
  readonly newBatchThreshold: number
  readonly maxPollingIntervalMs: number
  readonly visibilityTimeoutMs: number
  readonly maxDequeueCount: number
  readonly messageEncoding: 'base64' | 'none'
}

export type HostConfig = {
  /** Undefined if the time is not limited. */
  readonly functionTimeoutMs: number | undefined
  readonly routePrefix: string
  readonly queues: QueuesConfig
  readonly listenerLockPeriodMs: number
  readonly listenerLockRecoveryPollingIntervalMs: number
  readonly logLevels: LogLevels
  /** Warnings about keys that this host does not know. The platform ignores unknown keys, so a typing mistake would go unnoticed. */
  readonly warnings: readonly string[]
}

type Check = (value: unknown) => unknown

const OVERRIDE_PREFIX = 'AzureFunctionsJobHost__'
const DEFAULT_TIMEOUT_MS = 30 * 60_000

/** Every known key with its rule. A check returns the value to use, or undefined if the value breaks the rule. */
const RULES: { readonly [path: string]: { readonly check: Check; readonly rule: string } } = {
  version: { check: oneOf('2.0'), rule: '"2.0"' },
  telemetryMode: { check: oneOf('OpenTelemetry', 'ApplicationInsights'), rule: 'OpenTelemetry or ApplicationInsights' },
  functionTimeout: {
    check: (value) => (value === '-1' ? Number.POSITIVE_INFINITY : span(1_000)(value)),
    rule: 'a time span of 1 s or more, or "-1"',
  },
  'extensionBundle.id': { check: text, rule: 'a text' },
  'extensionBundle.version': { check: text, rule: 'a version range' },
  'extensions.http.routePrefix': { check: text, rule: 'a text' },
  'extensions.http.maxOutstandingRequests': { check: integer(-1, 1e6), rule: 'an integer of -1 or more' },
  'extensions.http.maxConcurrentRequests': { check: integer(-1, 1e6), rule: 'an integer of -1 or more' },
  'extensions.http.dynamicThrottlesEnabled': { check: truth, rule: 'true or false' },
  'extensions.http.hsts.isEnabled': { check: truth, rule: 'true or false' },
  'extensions.queues.batchSize': { check: integer(1, 32), rule: 'an integer from 1 to 32' },
  'extensions.queues.newBatchThreshold': { check: integer(0, 1000), rule: 'an integer from 0 to 1000' },
  'extensions.queues.maxPollingInterval': { check: span(100), rule: 'a time span of 100 ms or more' },
  'extensions.queues.visibilityTimeout': { check: span(0), rule: 'a time span' },
  'extensions.queues.maxDequeueCount': { check: integer(1, 1000), rule: 'an integer of 1 or more' },
  'extensions.queues.messageEncoding': { check: oneOf('base64', 'none'), rule: 'base64 or none' },
  'singleton.lockPeriod': { check: span(15_000, 60_000), rule: 'a time span from 15 s to 60 s' },
  'singleton.listenerLockPeriod': { check: span(15_000, 60_000), rule: 'a time span from 15 s to 60 s' },
  'singleton.listenerLockRecoveryPollingInterval': { check: span(15_000), rule: 'a time span of 15 s or more' },
  'singleton.lockAcquisitionTimeout': { check: span(1_000), rule: 'a time span of 1 s or more' },
  'singleton.lockAcquisitionPollingInterval': { check: span(0), rule: 'a time span' },
  'concurrency.dynamicConcurrencyEnabled': {
    check: (value) => (truth(value) === false ? false : undefined),
    rule: 'false: dynamic concurrency is not emulated',
  },
  'concurrency.snapshotPersistenceEnabled': { check: truth, rule: 'true or false' },
  'logging.fileLoggingMode': { check: oneOf('never', 'always', 'debugOnly'), rule: 'never, always or debugOnly' },
}

/** Sections that have no effect on this host, or whose keys are free. */
const FREE = [
  'healthMonitor',
  'aggregator',
  'watchDirectories',
  'watchFiles',
  'logging.applicationInsights',
  'logging.console',
  'logging.logLevel',
  'extensions.http.customHeaders',
  'extensions.eventGrid',
]

/** Reads host.json with the settings that override it. A wrong value is an error, and an unknown key is a warning. */
export function readHostConfig(hostJson: unknown, settings: { readonly [name: string]: string }): HostConfig {
  const values = new Map<string, unknown>()
  const warnings: string[] = []
  const levels = new Map<string, LogLevel>()
  const merged = [...leaves(hostJson, ''), ...overrides(settings)]
  for (const [path, value] of merged) {
    const rule = ownValue(RULES, path)
    if (path.startsWith('logging.logLevel.')) levels.set(path.slice('logging.logLevel.'.length), logLevel(path, value))
    else if (rule !== undefined) values.set(path, checked(path, value, rule))
    else if (!FREE.some((free) => path === free || path.startsWith(`${free}.`)))
      warnings.push(`host.json: ${path} is not a key this host knows; the platform may ignore it too`)
  }
  if (!values.has('version')) throw new HostError('host.json: version is missing; it must be "2.0"')
  const number = (path: string, otherwise: number): number => {
    const value = values.get(path)
    return typeof value === 'number' ? value : otherwise
  }
  const timeout = number('functionTimeout', DEFAULT_TIMEOUT_MS)
  const batchSize = number('extensions.queues.batchSize', 16)
  const routePrefix = values.get('extensions.http.routePrefix')
  return {
    functionTimeoutMs: Number.isFinite(timeout) ? timeout : undefined,
    routePrefix: typeof routePrefix === 'string' ? routePrefix : 'api',
    queues: {
      batchSize,
      newBatchThreshold: number('extensions.queues.newBatchThreshold', Math.floor(batchSize / 2)),
      maxPollingIntervalMs: number('extensions.queues.maxPollingInterval', 60_000),
      visibilityTimeoutMs: number('extensions.queues.visibilityTimeout', 0),
      maxDequeueCount: number('extensions.queues.maxDequeueCount', 5),
      messageEncoding: values.get('extensions.queues.messageEncoding') === 'none' ? 'none' : 'base64',
    },
    listenerLockPeriodMs: number('singleton.listenerLockPeriod', 60_000),
    listenerLockRecoveryPollingIntervalMs: number('singleton.listenerLockRecoveryPollingInterval', 60_000),
    logLevels: Object.fromEntries(levels),
    warnings,
  }
}

function checked(path: string, value: unknown, { check, rule }: { readonly check: Check; readonly rule: string }): unknown {
  const result = check(value)
  if (result === undefined) throw new HostError(`host.json: ${path} is ${JSON.stringify(value)}; it must be ${rule}`)
  return result
}

function logLevel(path: string, value: unknown): LogLevel {
  const level = LOG_LEVELS.find((known) => known === String(value).toLowerCase())
  if (level === undefined) throw new HostError(`host.json: ${path} is ${JSON.stringify(value)}; it must be one of ${LOG_LEVELS.join(', ')}`)
  return level
}

/** Returns the paths and values of all leaves. Everything that is not an object is a leaf. */
function leaves(value: unknown, path: string): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[path, value]]
  const within = path === 'logging.logLevel' ? Object.entries(value).map(([key, leaf]) => [`${path}.${key}`, leaf] as const) : undefined
  return within ?? Object.entries(value).flatMap(([key, member]) => leaves(member, path === '' ? key : `${path}.${key}`))
}

/** Returns settings such as `AzureFunctionsJobHost__extensions__queues__batchSize=8`. They come last, so they take precedence. */
function overrides(settings: { readonly [name: string]: string }): readonly (readonly [string, unknown])[] {
  const names = Object.keys(settings).filter((name) => name.startsWith(OVERRIDE_PREFIX))
  return names.map((name) => [name.slice(OVERRIDE_PREFIX.length).replaceAll('__', '.'), ownValue(settings, name)])
}

function text(value: unknown): unknown {
  return typeof value === 'string' ? value : undefined
}

function truth(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : undefined
}

function oneOf(...known: readonly string[]): Check {
  return (value) => known.find((candidate) => candidate === value)
}

function integer(min: number, max: number): Check {
  return (value) => {
    const number = typeof value === 'string' && value !== '' ? Number(value) : value
    return typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max ? number : undefined
  }
}

function span(minMs: number, maxMs = Number.POSITIVE_INFINITY): Check {
  return (value) => {
    const ms = typeof value === 'string' ? parseTimeSpan(value) : undefined
    return ms !== undefined && ms >= minMs && ms <= maxMs ? ms : undefined
  }
}
