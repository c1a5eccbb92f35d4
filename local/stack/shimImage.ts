import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type ShimImage = { readonly flags: readonly string[]; readonly env: { readonly [name: string]: string } }

/** The Node flags and the environment of the image, so that tests run and measure what ships. */
export const SHIM_IMAGE = imageSettings(readFileSync(join(import.meta.dirname, '..', '..', 'shim', 'Dockerfile'), 'utf8'))

function imageSettings(dockerfile: string): ShimImage {
  const flags = [...(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? '').matchAll(/"(--[^"]+)"/g)].map(([, flag = '']) => flag)
  return { flags, env: Object.fromEntries([...dockerfile.matchAll(/^ENV (MALLOC_\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value])) }
}
