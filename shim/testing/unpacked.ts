import { gunzipSync, inflateSync } from 'node:zlib'
import { POST_DICTIONARY } from '../../shared/wire/kept/dictionary.ts'

const dictionary = Buffer.from(POST_DICTIONARY)

/** The text of a post of the shim. */
export function unpacked(body: Buffer, encoding: string | undefined): string {
  return (encoding === 'deflate' ? inflateSync(body, { dictionary }) : gunzipSync(body)).toString('utf8')
}
