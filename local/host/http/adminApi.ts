import { HOST_VERSION } from '../app/functionsCore.ts'
import type { HostFunction } from '../app/hostFunction.ts'
import { type HostKeys, isKey, keyOfRequest } from './hostKeys.ts'
import { type HttpAnswer, type HttpRequest, jsonAnswer } from './httpFront.ts'

export type AdminApiOptions = {
  readonly hostId: string
  readonly functions: readonly HostFunction[]
  readonly keys: HostKeys
  readonly uptimeMs: () => number
  readonly isDraining: () => boolean
  readonly inFlight: () => number
  readonly drain: () => void
  /** Starts a run of a function that is not triggered by HTTP. The answer does not wait for the run. */
  readonly runNow: (target: HostFunction, input: string) => void
}

/** Answers `/admin/...`, with the master key. The ping needs no key. */
export async function answerAdmin(request: HttpRequest, options: AdminApiOptions): Promise<HttpAnswer> {
  const [, section, ...rest] = request.url.pathname
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '')
  const path = rest.join('/')
  if (section === 'host' && path === 'ping') return { status: 200 }
  if (!isKey(keyOfRequest(request.headers['x-functions-key'], request.url.searchParams), options.keys.master)) return { status: 401 }
  if (section === 'host') return answerHost(`${request.method} ${path}`, options)
  if (section !== 'functions') return { status: 404 }
  return path === '' ? jsonAnswer(200, options.functions.map(describe)) : answerOne(request, path, options)
}

async function answerOne(request: HttpRequest, path: string, options: AdminApiOptions): Promise<HttpAnswer> {
  const [name = '', detail] = path.split('/')
  const target = options.functions.find((candidate) => candidate.name.toLowerCase() === decodeURIComponent(name))
  if (target === undefined) return { status: 404 }
  if (request.method === 'GET') return jsonAnswer(200, detail === 'status' ? { errors: [] } : describe(target))
  return request.method === 'POST' && detail === undefined ? runFunction(target, request, options) : { status: 405 }
}

function answerHost(what: string, options: AdminApiOptions): HttpAnswer {
  switch (what) {
    case 'GET status':
      return jsonAnswer(200, {
        id: options.hostId,
        state: options.isDraining() ? 'Draining' : 'Running',
        version: HOST_VERSION,
        processUptime: options.uptimeMs(),
      })
    case 'POST drain':
      options.drain()
      return { status: 202 }
    case 'GET drain/status':
    case 'POST drain/status': {
      const outstandingInvocations = options.inFlight()
      const state = !options.isDraining() ? 'Disabled' : outstandingInvocations > 0 ? 'InProgress' : 'Completed'
      return jsonAnswer(200, { state, outstandingInvocations, outstandingRetries: 0 })
    }
    default:
      return { status: 404, body: `/admin/host: ${what} is not emulated` }
  }
}

async function runFunction(target: HostFunction, request: HttpRequest, options: AdminApiOptions): Promise<HttpAnswer> {
  if (target.trigger.kind === 'http') return { status: 400, body: `${target.name} is triggered by HTTP: call its route` }
  const input = inputOf((await request.readBody()).toString('utf8'))
  if (input === undefined) return { status: 400, body: 'the body must be JSON of the form {"input": "..."}' }
  options.runNow(target, input)
  return { status: 202 }
}

function inputOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text)
    if (typeof value !== 'object' || value === null) return undefined
    const input = 'input' in value ? value.input : ''
    return typeof input === 'string' ? input : JSON.stringify(input)
  } catch {
    return undefined
  }
}

function describe(target: HostFunction): object {
  const bindings = target.registered.rawBindings.map((binding) => JSON.parse(binding) as unknown)
  return { name: target.name, isDisabled: target.disabled, language: 'node', config: { bindings } }
}
