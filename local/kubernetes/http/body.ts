import type { IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { parse as parseYaml } from 'yaml'
import { messageOf } from '../../../shared/base/result.ts'
import { KUBE_YAML } from '../../../shared/wire/kube/kubeYaml.ts'
import type { Json } from '../object/json.ts'
import { parseProtobuf } from './protobuf.ts'
import { badRequest, StatusError, unsupportedMediaType } from './statusError.ts'

const MOST_BYTES = 3 * 1024 * 1024

/** The bytes of a request. A body above 3 MiB is refused, as the API server does. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > MOST_BYTES) {
      throw tooLarge()
    }
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  return request.headers['content-encoding'] === 'gzip' ? unzip(bytes) : bytes
}

function unzip(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES })
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge()
    throw badRequest(`error unzipping the body: ${messageOf(error)}`)
  }
}

function tooLarge(): StatusError {
  return new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message: `Request entity too large: limit is ${MOST_BYTES}` })
}

export function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Parses a body as JSON, YAML or protobuf. Returns undefined if the body is empty. */
export function parseBody(bytes: Buffer, type: string): Json | undefined {
  if (bytes.length === 0) return undefined
  if (type === 'application/vnd.kubernetes.protobuf') return parseProtobuf(bytes)
  // No type at all counts as JSON. A patch has a type of its own, which is checked where patches are applied.
  if (type !== '' && !/(json|yaml)$/.test(type)) {
    throw unsupportedMediaType(
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
    )
  }
  const text = bytes.toString('utf8')
  try {
    const parsed: Json = type.includes('yaml') ? parseYaml(text, KUBE_YAML) : JSON.parse(text)
    return parsed
  } catch (error) {
    throw badRequest(`error decoding the body: ${messageOf(error)}`)
  }
}
