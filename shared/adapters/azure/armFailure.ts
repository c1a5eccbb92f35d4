import { retryAfterOf } from './retryAfter.ts'

/** A failed ARM call: its code, status, message, and when to retry. */
export type ArmFailure = {
  /** ARM's error code, for example `SkuNotAvailable`, or the connection's, for example `ECONNRESET`. */
  readonly code: string
  /** HTTP status. Absent if no answer came, or if the code was found in the state of an operation or a machine. */
  readonly status?: number
  /** True if Azure did not judge the request itself: the connection failed, or Azure timed out or failed. */
  readonly isOutage: boolean
  readonly message: string
  readonly retryAfterMs?: number
  /** Set if Joiner itself waits, and Azure was not asked. */
  readonly isLocal?: boolean
  /** Set if Joiner waits for a limit of this machine alone. */
  readonly isOfOneMachine?: boolean
}

const MESSAGE_LIMIT = 1200

/** Reads the error that an SDK client threw. */
export function armFailure(error: unknown): ArmFailure {
  const inner = innerError(error)
  const status = numberMember(error, 'statusCode')
  const retryAfterMs = waitOf(error)
  const code = textMember(inner, 'code') ?? textMember(error, 'code') ?? ''
  return {
    code,
    ...(status === undefined ? {} : { status }),
    isOutage: status === undefined ? isConnectionCode(code) : status === 408 || status >= 500,
    message: (textMember(inner, 'message') ?? textMember(error, 'message') ?? String(error)).slice(0, MESSAGE_LIMIT),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(member(error, 'isLocal') === true ? { isLocal: true } : {}),
    ...(member(error, 'isOfOneMachine') === true ? { isOfOneMachine: true } : {}),
  }
}

/** Reports whether a code comes from the network or the client. ARM's own codes are in Pascal case. */
function isConnectionCode(code: string): boolean {
  return code === '' || /^[A-Z0-9_]+$/.test(code)
}

export function isNotFound(error: unknown): boolean {
  return numberMember(error, 'statusCode') === 404
}

/** The `error` member of the response body, which holds ARM's code and message. */
function innerError(error: unknown): unknown {
  const details = member(error, 'details')
  return member(details, 'error') ?? details
}

function waitOf(error: unknown): number | undefined {
  const told = numberMember(error, 'retryAfterMs')
  if (told !== undefined) return told
  const headers = member(member(error, 'response'), 'headers')
  if (typeof headers !== 'object' || headers === null || !('get' in headers) || typeof headers.get !== 'function') return undefined
  const get = headers.get.bind(headers)
  return retryAfterOf({
    get: (name) => {
      const value: unknown = get(name)
      return typeof value === 'string' ? value : undefined
    },
  })
}

/** The member of a value from outside, which may be no object. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function textMember(value: unknown, name: string): string | undefined {
  const found = member(value, name)
  return typeof found === 'string' && found !== '' ? found : undefined
}

function numberMember(value: unknown, name: string): number | undefined {
  const found = member(value, name)
  return typeof found === 'number' ? found : undefined
}
