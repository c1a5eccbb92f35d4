// Runs the image of the release in a container of its own, as a node does: by runc, if it is installed.
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findOnPath } from '../../../local/findOnPath.ts'

export type ContainerSpec = {
  /** File system of the image, read-only. */
  readonly root: string
  readonly args: readonly string[]
  readonly env: { readonly [name: string]: string }
  readonly workingDirectory: string
  /** Files and folders of this machine that the container sees read-only under the same path. */
  readonly mounted: readonly string[]
}

export type Container = {
  readonly program: string
  /** Arguments of `program` that run the container to its end, with its output as the program's output. */
  readonly runArgs: readonly string[]
  /** Runs a program in the running container. Returns its output. */
  exec(args: readonly string[]): Promise<string>
  remove(): Promise<void>
}

/** The user of the pod's securityContext. */
const USER = 65_532
const NAMESPACES = ['pid', 'ipc', 'uts', 'mount']

/** Returns the path of runc. Undefined if it is not on the PATH. */
export function findRunc(path = process.env['PATH'] ?? ''): string | undefined {
  return findOnPath('runc', path)
}

/**
 * Returns the configuration of a container without capabilities, without a way to get any, and read-only. It shares the network of this machine,
 * where the loopback internet is. A user other than root can map no second user. The container then has a user namespace whose only user is the one
 * that runs it.
 */
export function bundleConfig({ root, args, env, workingDirectory, mounted }: ContainerSpec, uid: number): object {
  const isRoot = uid === 0
  const user = isRoot ? USER : 0
  const none: readonly string[] = []
  const capabilities = { bounding: none, effective: none, inheritable: none, permitted: none, ambient: none }
  const one = [{ containerID: 0, hostID: uid, size: 1 }]
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid: user, gid: user },
      args,
      env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      cwd: workingDirectory,
      capabilities,
      noNewPrivileges: true,
    },
    root: { path: root, readonly: true },
    hostname: 'rehearsal',
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'strictatime', 'mode=755', 'size=65536k'] },
      ...mounted.map((path) => ({ destination: path, type: 'bind', source: path, options: ['rbind', 'ro'] })),
    ],
    linux: {
      namespaces: [...NAMESPACES, ...(isRoot ? [] : ['user'])].map((type) => ({ type })),
      ...(isRoot ? {} : { uidMappings: one, gidMappings: one }),
    },
  }
}

export function prepareContainer(program: string, folder: string, spec: ContainerSpec): Container {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.json'), JSON.stringify(bundleConfig(spec, process.getuid?.() ?? 0)))
  const id = `joiner-rehearsal-${process.pid}-${Date.now()}`
  const at = ['--root', join(folder, 'state')]
  return {
    program,
    runArgs: [...at, 'run', '--bundle', folder, id],
    exec: (args) => run(program, [...at, 'exec', id, ...args]),
    remove: async () => void (await run(program, [...at, 'delete', '--force', id]).catch(() => undefined)),
  }
}

function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, [...args], (error, out, errors) => (error === null ? resolve(out) : reject(new Error(`${error.message}${errors}`))))
  })
}
