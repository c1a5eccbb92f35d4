/** Tests that may be skipped, and why. Any other skip fails the run, because a test that silently stops running proves nothing. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { basename, join, matchesGlob } from 'node:path'
import { builtFolder, CACHE } from '../local/goPrograms.ts'
import { repositoryRoot } from './floors.ts'
import type { Named } from './testReport.ts'

const PREVIOUS = join(repositoryRoot, 'local', 'controlplane', 'previous')

/** What a machine may have or lack. */
export type Machine = {
  readonly hasPublicData: boolean
  readonly hasKubectl: boolean
  readonly hasGo: boolean
  readonly hasAzd: boolean
  /** The control plane of the Kubernetes before the newest. */
  readonly hasPrevious: boolean
}

type Expected = {
  readonly files: readonly string[]
  readonly name?: string
  readonly why: string
  readonly isTrue: (machine: Machine) => boolean
}

export const EXPECTED_SKIPS: readonly Expected[] = [
  {
    files: [
      'shared/adapters/azure/sizes/{ephemeralDisk,sizeName,size}.test.ts',
      'test/schema/{ruleAgreement,contract,apiServer}.test.ts',
      'test/peer/{engine,peer}.test.ts',
      'test/azure/{requestBodies,catalog,localResources}.test.ts',
      'local/kubernetes/{customResources,kubectl}.test.ts',
      'bench/scheduling/bounds/bounds.test.ts',
      'infra/{check,rights}/**/*.test.ts',
      'test/rights/azure.test.ts',
      'scripts/rehearse/dataRights.test.ts',
    ],
    why: 'the public data is not there',
    isTrue: ({ hasPublicData }) => !hasPublicData,
  },
  {
    files: ['local/kubernetes/kubectl.test.ts', 'test/e2e/{kubectl,readme}.test.ts'],
    why: 'there is no kubectl',
    isTrue: ({ hasKubectl }) => !hasKubectl,
  },
  {
    files: ['scripts/workflows/lintWorkflows.test.ts'],
    why: 'there is no Go',
    isTrue: ({ hasGo }) => !hasGo,
  },
  {
    files: ['scripts/rehearse/azd/azd.test.ts'],
    why: 'azd is not built',
    isTrue: ({ hasAzd }) => !hasAzd,
  },
  {
    files: ['test/agreement/*.test.ts'],
    name: 'previous Kubernetes',
    why: 'the previous Kubernetes is not built: each night plays both, a change only the newest',
    isTrue: ({ hasPrevious }) => !hasPrevious,
  },
  {
    files: ['shared/adapters/**/*.test.ts', 'test/**/*.test.ts', 'local/**/*.test.ts'],
    name: 'stays with a holder who lives, however long, and leaves one who died',
    why: 'the lease is one in real time, and nobody waits for it',
    isTrue: () => true,
  },
]

export function unexpectedSkips(skipped: readonly Named[], machine: Machine): readonly Named[] {
  const expected = EXPECTED_SKIPS.filter(({ isTrue }) => isTrue(machine))
  const isExpected = (test: Named): boolean =>
    expected.some(
      ({ files, name }) => files.some((glob) => matchesGlob(test.file, glob)) && (name === undefined || test.name.includes(name)),
    )
  return skipped.filter((test) => !isExpected(test))
}

export function thisMachine(): Machine {
  return {
    hasPublicData: existsSync('../shared/data'),
    hasKubectl: runs(process.env['KUBECTL'] ?? 'kubectl', ['version', '--client']),
    hasGo: runs('go', ['version']),
    hasAzd: holds(CACHE, 'azd'),
    hasPrevious: holds(builtFolder({ module: PREVIOUS }, CACHE), 'kube-scheduler'),
  }
}

function holds(folder: string, name: string): boolean {
  return existsSync(folder) && readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((file) => basename(file) === name)
}

/**
 * Reports whether a program runs. The tests have their own helper for this question. A mistake in that helper would cause skips, and must not also
 * excuse them.
 */
function runs(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
