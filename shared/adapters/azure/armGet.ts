import type { AbortSignalLike } from '../../ports/clock.ts'
import { parsePage } from '../../wire/azure/page.ts'
import type { ArmClients } from './clients.ts'
import { platformSignal } from './platformSignal.ts'

/** A request that ARM refused. `armFailure` reads it like the errors of the SDK. */
class ArmRefusal extends Error {
  override readonly name = 'ArmRefusal'
  readonly statusCode: number
  /** The body of the response. */
  readonly details: unknown

  constructor(path: string, statusCode: number, details: unknown) {
    super(`GET ${path} answered ${statusCode}`)
    this.statusCode = statusCode
    this.details = details
  }
}

const LIMIT_MS = 20_000

/**
 * Reads a resource that the SDK clients of this project do not cover, with their credential, retries and timeouts. Returns the parsed body. Throws an
 * error that `armFailure` reads.
 */
export async function armGet(
  clients: Pick<ArmClients, 'rest'>,
  path: string,
  query: { readonly [name: string]: string },
  signal: AbortSignalLike,
): Promise<unknown> {
  const client = await clients.rest()
  const answer = await client.pathUnchecked(path).get({ queryParameters: { ...query }, abortSignal: platformSignal(signal, LIMIT_MS) })
  if (answer.status !== '200') throw new ArmRefusal(path, Number(answer.status), answer.body)
  return answer.body
}

/**
 * Lists resources from every page, as Azure writes them. The clients of the SDK drop a member that Azure spells in another case than its definition
 * does.
 */
export async function* armList(
  clients: Pick<ArmClients, 'rest'>,
  path: string,
  query: { readonly [name: string]: string },
  signal: AbortSignalLike,
): AsyncGenerator<unknown> {
  let next: string | undefined
  do {
    // The link to the next page holds the whole query.
    const { value, nextLink } = parsePage(await armGet(clients, next ?? path, next === undefined ? query : {}, signal))
    yield* value
    next = nextLink
  } while (next !== undefined && next !== '')
}
