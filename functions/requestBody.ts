import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { HttpRequest } from '@azure/functions'
import { err, ok, type Result } from '../shared/base/result.ts'
import { messageOf } from '../shared/base/thrown.ts'
import { type Problem, problem } from '../shared/model/problem.ts'

const MOST_BYTES = 16 * 1024 * 1024
const inflate = promisify(gunzip)

/** Returns the JSON body of a request, unpacked if it is gzip. The size is bounded, so that a small body cannot unpack to a large one. */
export async function readJsonBody(request: HttpRequest): Promise<Result<unknown, Problem>> {
  const raw = Buffer.from(await request.arrayBuffer())
  if (raw.byteLength > MOST_BYTES) return tooLarge()
  const packed = request.headers.get('content-encoding') === 'gzip'
  try {
    const text = packed ? (await inflate(raw, { maxOutputLength: MOST_BYTES })).toString('utf8') : raw.toString('utf8')
    return ok(JSON.parse(text))
  } catch (cause) {
    if (cause instanceof RangeError) return tooLarge()
    const why = messageOf(cause)
    return err(problem('INPUT.INVALID', `the body is not ${packed ? 'gzip of ' : ''}JSON: ${why}`))
  }
}

function tooLarge(): Result<never, Problem> {
  return err(problem('INPUT.TOO_LARGE', `the body is larger than ${MOST_BYTES} bytes when unpacked; post smaller batches`))
}
