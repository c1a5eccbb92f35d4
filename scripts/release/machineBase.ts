// Makes a base image of this machine's own Node, for use without a registry. It is for trying the image, never for publishing it.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Fault, problem } from '../../shared/model/problem.ts'
import { type BaseImage, blobOf, digestOf, LAYER } from './imageLayout.ts'
import type { PackedFile } from './packedFile.ts'
import { SHIM_IMAGE } from './shimImage.ts'
import { gzipOf, tarOf } from './tar.ts'

const ARCHITECTURES = new Map([
  ['x64', 'amd64'],
  ['arm64', 'arm64'],
])
const [USER] = SHIM_IMAGE.user.split(':')

/**
 * Returns an image with Node at the path where the image starts it, and with the libraries that Node loads. Throws a Fault if this is not Linux, or
 * `ldd` does not list the libraries.
 */
export async function machineBase(node: string): Promise<BaseImage> {
  const architecture = ARCHITECTURES.get(process.arch)
  if (process.platform !== 'linux' || architecture === undefined) throw refused(`${process.platform} on ${process.arch} runs no such image`)
  const archive = await tarOf([
    { path: SHIM_IMAGE.entrypoint[0].slice(1), bytes: readFileSync(node), isProgram: true },
    { path: 'etc/passwd', bytes: Buffer.from(`nonroot:x:${USER}:${USER}:nonroot:/:/sbin/nologin\n`) },
    ...librariesOf(node),
  ])
  const layer = blobOf(LAYER, gzipOf(archive))
  const config = { os: 'linux', architecture, rootfs: { type: 'layers' as const, diff_ids: [digestOf(archive)] } }
  return { digest: layer.descriptor.digest, platforms: [{ architecture, config, layers: [layer] }] }
}

function librariesOf(node: string): readonly PackedFile[] {
  const said = listLibraries(node)
  const paths = new Set([...said.matchAll(/(?:^|\s)(\/\S+) \(0x/gm)].map(([, path]) => path ?? ''))
  return [...paths].map((path) => ({ path: path.slice(1), bytes: readFileSync(path), isProgram: true }))
}

function listLibraries(node: string): string {
  try {
    return execFileSync('ldd', [node], { encoding: 'utf8' })
  } catch (cause) {
    throw refused('ldd does not say what Node loads', cause)
  }
}

function refused(why: string, cause?: unknown): Fault {
  const message = `there is no base for the image: ${why}; name a layout of the base in shim/Dockerfile with --base FOLDER`
  return new Fault('build the image', problem('SETTING.INVALID', message), cause)
}
