import type { JsonObject } from '../object/json.ts'

export interface StatusCause extends JsonObject {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

export interface StatusDetails extends JsonObject {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

/** The answer of the API server when it refuses: the contents of a `Status` object and its HTTP code. */
export interface StatusAnswer {
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly details?: StatusDetails
}

/**
 * A refusal. Verbs, strategies and patches throw it, and the HTTP edge catches it. The refusal is the answer, so the code between does not look
 * at it.
 */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly answer: StatusAnswer

  constructor(answer: StatusAnswer) {
    super(answer.message)
    this.answer = answer
  }
}

export function statusObject(answer: StatusAnswer): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: answer.message,
    reason: answer.reason,
    details: answer.details,
    code: answer.code,
  }
}

/** The resource of a refusal, as the server names it in messages: `pods`, `deployments.apps`. */
export interface Subject {
  readonly group: string
  readonly plural: string
}

export function groupResource(subject: Subject): string {
  return subject.group === '' ? subject.plural : `${subject.plural}.${subject.group}`
}

function detailsOf(subject: Subject, name: string): StatusDetails {
  return { name, ...(subject.group === '' ? {} : { group: subject.group }), kind: subject.plural }
}

export function badRequest(message: string): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message })
}

export function notFound(subject: Subject, name: string): StatusError {
  const message = `${groupResource(subject)} "${name}" not found`
  return new StatusError({ code: 404, reason: 'NotFound', message, details: detailsOf(subject, name) })
}

/** The answer to a path or resource that the server does not serve. */
export function noSuchPath(): StatusError {
  return new StatusError({ code: 404, reason: 'NotFound', message: 'the server could not find the requested resource', details: {} })
}

export function alreadyExists(subject: Subject, name: string): StatusError {
  const message = `${groupResource(subject)} "${name}" already exists`
  return new StatusError({ code: 409, reason: 'AlreadyExists', message, details: detailsOf(subject, name) })
}

export function conflict(subject: Subject, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${groupResource(subject)} "${name}": ${why}`
  return new StatusError({ code: 409, reason: 'Conflict', message, details: detailsOf(subject, name) })
}

export const MODIFIED_MEANWHILE = 'the object has been modified; please apply your changes to the latest version and try again'

export function forbidden(subject: Subject, name: string, why: string, causes?: readonly StatusCause[]): StatusError {
  const named = name === '' ? `${groupResource(subject)} is forbidden` : `${groupResource(subject)} "${name}" is forbidden`
  const details = { ...(name === '' ? detailsWithoutName(subject) : detailsOf(subject, name)), ...(causes ? { causes } : {}) }
  return new StatusError({ code: 403, reason: 'Forbidden', message: `${named}: ${why}`, details })
}

function detailsWithoutName(subject: Subject): StatusDetails {
  return { ...(subject.group === '' ? {} : { group: subject.group }), kind: subject.plural }
}

export function unauthorized(): StatusError {
  return new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' })
}

export function methodNotAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource'
  return new StatusError({ code: 405, reason: 'MethodNotAllowed', message, details: {} })
}

export function expired(message: string): StatusError {
  return new StatusError({ code: 410, reason: 'Expired', message })
}

export function notAcceptable(types = 'application/json, application/yaml'): StatusError {
  const message = `only the following media types are accepted: ${types}`
  return new StatusError({ code: 406, reason: 'NotAcceptable', message, details: {} })
}

export function unsupportedMediaType(message: string): StatusError {
  return new StatusError({ code: 415, reason: 'UnsupportedMediaType', message, details: {} })
}

/** Refuses a feature that this server does not implement, because a wrong answer would be worse. */
export function notImplemented(what: string): StatusError {
  return new StatusError({ code: 501, reason: 'NotImplemented', message: `the embedded API server does not implement ${what}` })
}
