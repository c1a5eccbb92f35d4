import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import type { HttpRequest } from '@azure/functions'
import { ownValue } from '../shared/base/ownValue.ts'
import { err, ok, type Result } from '../shared/base/result.ts'
import { messageOf } from '../shared/base/thrown.ts'
import { type Problem, problem } from '../shared/model/problem.ts'
import { POST_DICTIONARY } from '../shared/wire/kept/dictionary.ts'

const MOST_BYTES = 16 * 1024 * 1024
const dictionary = Buffer.from(POST_DICTIONARY)
const ungzip = promisify(gunzip)
const undeflate = promisify(inflate)

type Unpack = (raw: Buffer) => Buffer | Promise<Buffer>

/** How a body is unpacked, by its content encoding. */
const UNPACK: { readonly [encoding: string]: Unpack } = {
  gzip: (raw) => ungzip(raw, { maxOutputLength: MOST_BYTES }),
  deflate: (raw) => undeflate(raw, { maxOutputLength: MOST_BYTES, dictionary }),
}

/** Returns the JSON body of a request, unpacked if it is packed. The size is bounded, so that a small body cannot unpack to a large one. */
export async function readJsonBody(request: HttpRequest): Promise<Result<unknown, Problem>> {
  const raw = Buffer.from(await request.arrayBuffer())
  if (raw.byteLength > MOST_BYTES) return tooLarge()
  const encoding = request.headers.get('content-encoding') ?? ''
  const unpack = ownValue(UNPACK, encoding)
  try {
    const text = unpack === undefined ? raw : await unpack(raw)
    return ok(JSON.parse(text.toString('utf8')))
  } catch (cause) {
    if (cause instanceof RangeError) return tooLarge()
    const why = messageOf(cause)
    return err(problem('INPUT.INVALID', `the body is not ${unpack === undefined ? '' : `${encoding} of `}JSON: ${why}`))
  }
}

function tooLarge(): Result<never, Problem> {
  return err(problem('INPUT.TOO_LARGE', `the body is larger than ${MOST_BYTES} bytes when unpacked; post smaller batches`))
}
