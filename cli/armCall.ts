import { type ArmClients, createArmClients } from '../shared/adapters/azure/clients.ts'
import { azureFault } from '../shared/adapters/azure/machines/azureFault.ts'
import { platformSignal } from '../shared/adapters/azure/platformSignal.ts'
import { Fault, problem } from '../shared/model/problem.ts'

export type ArmCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path from the root: `/subscriptions/...`. May have a query, like the link to a next page. */
  readonly path: string
  readonly version: string
  readonly query?: { readonly [name: string]: string }
  readonly body?: unknown
}

export type ArmAnswer = {
  readonly status: number
  readonly body: unknown
  readonly headers: { readonly [name: string]: string | undefined }
}

/** Makes one request to ARM with the login of the caller. Returns every answer, whatever its status. Throws a Fault if there is no answer. */
export type Arm = (call: ArmCall, signal?: AbortSignal) => Promise<ArmAnswer>

const LIMIT_MS = 60_000
const NO_LIMIT = new AbortController().signal

export function createArm(options: Omit<Parameters<typeof createArmClients>[0], 'subscriptionId'>): Arm {
  // The requests below contain their subscription.
  const clients: ArmClients = createArmClients({ ...options, subscriptionId: '' })
  return async ({ method, path, version, query = {}, body }, signal = NO_LIMIT) => {
    const client = await clients.rest()
    const [pathname = '', search] = path.split('?')
    const queryParameters = { 'api-version': version, ...Object.fromEntries(new URLSearchParams(search)), ...query }
    const request = { queryParameters, abortSignal: platformSignal(signal, LIMIT_MS), ...(body === undefined ? {} : { body }) }
    const resource = client.pathUnchecked(pathname)
    try {
      const answer = await resource[METHODS[method]](request)
      return { status: Number(answer.status), body: answer.body, headers: answer.headers }
    } catch (error) {
      throw azureFault(`${method} ${pathname}`, error, signal)
    }
  }
}

const METHODS = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const

/** Returns the reason of a refusal by ARM: `CODE: message`, on one line. */
export function refusalOf({ status, body }: ArmAnswer): string {
  const error = member(body, 'error') ?? body
  const code = member(error, 'code')
  const message = member(error, 'message')
  const text = [code, message].filter((part) => typeof part === 'string' && part !== '').join(': ')
  return `${status} ${text === '' ? 'without a reason' : text.replaceAll(/\s+/g, ' ')}`
}

export const isFine = ({ status }: Pick<ArmAnswer, 'status'>): boolean => status >= 200 && status < 300

/** Returns all items of a list, page by page. Throws a Fault with ARM's message if ARM refuses. */
export async function armList(arm: Arm, call: Omit<ArmCall, 'method'>, signal?: AbortSignal): Promise<readonly unknown[]> {
  const items: unknown[] = []
  let next: Omit<ArmCall, 'method'> | undefined = call
  while (next !== undefined) {
    const answer: ArmAnswer = await arm({ ...next, method: 'GET' }, signal)
    if (!isFine(answer)) throw armFault(`list ${call.path}`, answer)
    const page = member(answer.body, 'value')
    for (const item of Array.isArray(page) ? page : []) items.push(item)
    const link = member(answer.body, 'nextLink')
    next = typeof link === 'string' && link !== '' ? { path: pathOf(link), version: call.version } : undefined
  }
  return items
}

/** Returns the Fault for a refusal that the caller cannot handle. */
export function armFault(operation: string, answer: ArmAnswer): Fault {
  const { status } = answer
  const code = status === 429 ? 'AZURE.THROTTLED' : status === 401 || status === 403 ? 'AZURE.FORBIDDEN' : 'AZURE.FAILED'
  return new Fault(operation, problem(code, refusalOf(answer), { fields: { status } }))
}

function pathOf(link: string): string {
  const { pathname, search } = new URL(link, 'https://arm.invalid')
  return `${pathname}${search}`
}

export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
