import type { ServerResponse } from 'node:http'
import { stringify } from 'yaml'
import { KUBE_YAML } from '../../../shared/wire/kube/kubeYaml.ts'
import type { JsonObject } from '../object/json.ts'
import { type StatusAnswer, statusObject } from './statusError.ts'

export interface Reply {
  readonly code: number
  /** JSON text, or an object that is printed. */
  readonly body: string | JsonObject
  readonly contentType?: string
  readonly warnings?: readonly string[]
}

export function send(response: ServerResponse, reply: Reply, wantsYaml: boolean): void {
  if (response.destroyed || response.headersSent) return
  const asYaml = wantsYaml && reply.contentType === undefined
  const text = asYaml ? toYaml(reply.body) : typeof reply.body === 'string' ? reply.body : `${JSON.stringify(reply.body)}\n`
  for (const warning of reply.warnings ?? []) response.appendHeader('warning', `299 - ${JSON.stringify(warning)}`)
  const bytes = Buffer.from(text)
  response.writeHead(reply.code, {
    'content-type': reply.contentType ?? (asYaml ? 'application/yaml' : 'application/json'),
    'cache-control': 'no-cache, private',
    'content-length': bytes.length,
  })
  response.end(bytes)
}

function toYaml(body: string | JsonObject): string {
  return stringify(typeof body === 'string' ? JSON.parse(body) : body, KUBE_YAML)
}

export function refusal(answer: StatusAnswer): Reply {
  return { code: answer.code, body: statusObject(answer) }
}
