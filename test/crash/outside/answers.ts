import { type HttpAnswer, type HttpRequest, type RunningServer, serve } from '../../../local/azure/httpServer.ts'
import { createServingCertificate } from '../../../local/certificates/serving.ts'

/** The ways in which an outside call may go wrong: an error status, a cut connection, or a 200 answer without sense. */
export const ANSWERS = ['403', '404', '409', '413', '429', '500', 'cut', 'nonsense'] as const
export type Answer = (typeof ANSWERS)[number]

/** The requests of a call that get the wrong answer. Earlier requests succeed. */
export type Stage = 'every request' | 'interface' | 'machine'

/** Servers that give one answer to everything, in the format of the API server, ARM and storage. */
export type Outside = { readonly kube: string; readonly arm: string; readonly ca: string; readonly storage: string; close(): Promise<void> }

export async function startOutside(answer: Answer, stage: Stage = 'every request'): Promise<Outside> {
  const tls = await certificate()
  const servers: RunningServer[] = []
  const start = async (respond: (request: HttpRequest) => HttpAnswer, secure = false): Promise<string> => {
    const server = await serve(respond, secure ? { tls } : {})
    servers.push(server)
    return server.url
  }
  return {
    kube: await start((request) => kubeAnswer(answer, request)),
    arm: await start((request) => (isFaulty(request, stage) ? armAnswer(answer) : goesWell(request)), true),
    ca: tls.authority,
    storage: await start((request) => storageAnswer(answer, request)),
    close: async () => {
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

let shared: ReturnType<typeof createServingCertificate> | undefined

function certificate(): ReturnType<typeof createServingCertificate> {
  shared ??= createServingCertificate('answers of a test')
  return shared
}

const NONSENSE: HttpAnswer = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html><body>sign in first</body></html>' }

function special(answer: Answer): HttpAnswer | number {
  if (answer === 'cut') return 'drop'
  return answer === 'nonsense' ? NONSENSE : Number(answer)
}

function kubeAnswer(answer: Answer, { url }: HttpRequest): HttpAnswer {
  const status = special(answer)
  if (typeof status !== 'number') return status
  const body = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: status,
    reason: 'Struck',
    message: `the test answers ${status}`,
    // The details make a 404 about the object. Without them, it would be about the kind.
    details: { name: url.pathname.split('/').at(-1) },
  }
  return { status, body }
}

const ARM_CODES: { readonly [status: number]: string } = {
  403: 'AuthorizationFailed',
  404: 'ResourceNotFound',
  409: 'Conflict',
  413: 'RequestContentTooLarge',
  429: 'TooManyRequests',
  500: 'InternalServerError',
}

function armAnswer(answer: Answer): HttpAnswer {
  const status = special(answer)
  if (typeof status !== 'number') return status
  return { status, body: { error: { code: ARM_CODES[status], message: `the test answers ${status}` } } }
}

function isFaulty({ method, url }: HttpRequest, stage: Stage): boolean {
  if (stage === 'every request') return true
  const path = stage === 'interface' ? 'networkInterfaces/' : 'virtualMachines/'
  return method === 'PUT' && url.pathname.includes(path)
}

/** No machine exists yet. Interfaces are made and deleted at once. */
function goesWell({ method, url }: HttpRequest): HttpAnswer {
  if (method === 'GET') return { status: 404, body: { error: { code: 'ResourceNotFound', message: 'not made yet' } } }
  if (method === 'DELETE') return { status: 204 }
  return { status: 200, body: { id: url.pathname, name: 'made', properties: { provisioningState: 'Succeeded' } } }
}

function storageAnswer(answer: Answer, { url }: HttpRequest): HttpAnswer {
  const status = special(answer)
  if (typeof status !== 'number') return status
  const code = storageCode(status, url)
  return {
    status,
    headers: { 'content-type': 'application/xml', 'x-ms-error-code': code },
    body: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>the test answers ${status}</Message></Error>`,
  }
}

function storageCode(status: number, url: URL): string {
  const isQueue = url.pathname.includes('/messages')
  if (status === 404) return isQueue ? 'QueueNotFound' : 'BlobNotFound'
  if (status === 409)
    return isQueue ? 'QueueBeingDeleted' : url.searchParams.get('comp') === 'lease' ? 'LeaseAlreadyPresent' : 'BlobAlreadyExists'
  const codes: { readonly [status: number]: string } = {
    403: 'AuthorizationPermissionMismatch',
    413: 'RequestBodyTooLarge',
    429: 'TooManyRequests',
    500: 'InternalError',
  }
  return codes[status] ?? 'InternalError'
}
