// `npm run release -- [--version X] [--out DIR] [--base LAYOUT] [--image REPOSITORY]`: makes all parts of a release, twice. Fails if the two differ,
// if the image is too large, or if the zip of the app does not start in an empty folder. It publishes nothing.
// `--base` is an OCI layout of the image that shim/Dockerfile is built on. Without it the image is for trying only, with this machine's own Node.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { chartImage } from '../../cli/preflight/shimImage.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import { repositoryRoot } from '../floors.ts'
import { type BaseImage, readLayout } from './imageLayout.ts'
import { machineBase } from './machineBase.ts'
import { differences, makeRelease, startZip } from './makeRelease.ts'
import { IMAGE_CEILING_BYTES, PLATFORMS } from './shimImage.ts'
import { sourcesOf, versionOf } from './sources.ts'

const MEGABYTE = 1_000_000

/** Reads the layout of the base that the Dockerfile pins, for every released platform. Throws a Fault if it is another image. */
export function pinnedBase(layout: string, dockerfile: string): BaseImage {
  const base = readLayout(layout)
  const pinned = /^FROM \S+@(sha256:[0-9a-f]{64})$/m.exec(dockerfile)?.[1]
  const lacking = PLATFORMS.filter((platform) => !base.platforms.some(({ architecture }) => architecture === platform))
  if (base.digest !== pinned)
    throw refused(`--base ${layout} is ${base.digest}, and shim/Dockerfile is built on ${pinned}: copy that one, with all its platforms`)
  if (lacking.length > 0) throw refused(`--base ${layout} is not for ${lacking.join(' and ')}: copy it with all its platforms`)
  return { ...base, platforms: base.platforms.filter(({ architecture }) => PLATFORMS.includes(architecture)) }
}

async function release(args: readonly string[], say: (line: string) => void): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      version: { type: 'string' },
      out: { type: 'string', default: 'dist/release' },
      base: { type: 'string' },
      image: { type: 'string', default: chartImage().repository },
    },
  })
  const root = repositoryRoot
  const version = versionOf(root, values.version)
  const out = resolve(values.out)
  mkdirSync(out, { recursive: true })
  if (readdirSync(out).length > 0) throw refused(`--out ${out} is not empty: remove what is in it, or name another folder`)
  const base =
    values.base === undefined
      ? await machineBase(process.execPath)
      : pinnedBase(values.base, readFileSync(join(root, 'shim/Dockerfile'), 'utf8'))
  const order = { root, version, sources: sourcesOf(root), base, repository: values.image }
  const image = await makeRelease(order, out)
  for (const { architecture, bytes, ownBytes } of image.sizes)
    say(
      `image ${architecture} ${inMegabytes(bytes)} of ${inMegabytes(IMAGE_CEILING_BYTES)} MB compressed, ${inMegabytes(ownBytes)} of them ours`,
    )
  if (values.base === undefined)
    say('note  no --base: the image holds Node and libraries of this machine, to be tried here and not published')
  const different = await differences(order, out)
  for (const file of different) say(`FAIL  ${file} is not the same when it is made twice`)
  const { output, problem: obstacle } = await startZip(root, join(out, `joiner-app-${version}.zip`))
  say(obstacle === undefined ? `zip   ${output.trim()}` : `FAIL  ${obstacle}: ${output.trim()}`)
  say(`made  Joiner ${version} of ${order.sources.revision} in ${out}, shim ${image.index.descriptor.digest}`)
  return different.length === 0 && obstacle === undefined ? 0 : 1
}

function inMegabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1)
}

function refused(message: string): Fault {
  return new Fault('make a release', problem('SETTING.INVALID', message))
}

if (import.meta.main) {
  try {
    process.exitCode = await release(process.argv.slice(2), (line) => console.log(line))
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    console.error(cause.problem.message)
    process.exitCode = 1
  }
}
