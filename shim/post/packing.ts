import { promisify } from 'node:util'
import { constants, deflate, gzip } from 'node:zlib'
import { POST_DICTIONARY } from '../../shared/wire/kept/dictionary.ts'

const gzipped = promisify(gzip)
const deflated = promisify(deflate)
const dictionary = Buffer.from(POST_DICTIONARY)
const level = constants.Z_BEST_SPEED

export type Packed = { readonly encoding: 'gzip' | 'deflate'; readonly body: Buffer }

/** Packs the text of a post. Anybody can unpack gzip. With the dictionary of posts, a post of one pod is half as large. */
export async function packed(json: string, encoding: Packed['encoding']): Promise<Packed> {
  return { encoding, body: await (encoding === 'gzip' ? gzipped(json, { level }) : deflated(json, { level, dictionary })) }
}
