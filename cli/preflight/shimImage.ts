// Which image the shim is. The one place of its default name is `charts/joiner/values.yaml`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'
import { KUBE_YAML } from '../../shared/wire/kube/kubeYaml.ts'
import type { Environment } from '../clusterAccess.ts'
import { jsonText } from '../jsonText.ts'

const CHART = join(import.meta.dirname, '../../charts/joiner')

export type ImageName = { readonly repository: string; readonly tag?: string | undefined; readonly digest?: string | undefined }

const image = z.object({ repository: z.string().optional(), tag: z.string().optional(), digest: z.string().optional() })
const values = z.object({ image: image.default({}), imagePullSecrets: z.array(z.unknown()).default([]) })
const chart = z.object({ version: z.string(), appVersion: z.string() })

/** Returns the image that the chart names without other values. */
export function chartImage(): { readonly repository: string; readonly tag: string } {
  const read = values.parse(parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'), KUBE_YAML))
  const { appVersion } = chart.parse(parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'), KUBE_YAML))
  return { repository: read.image.repository ?? '', tag: read.image.tag || appVersion }
}

/** Parses `repository[:tag][@digest]`. A colon before a slash is that of a port. */
export function parseImage(text: string): ImageName {
  const [rest = '', digest] = text.split('@')
  const [, repository = rest, tag] = /^(.*?)(?::([^/:]+))?$/.exec(rest) ?? []
  return { repository, ...(tag === undefined ? {} : { tag }), ...(digest === undefined ? {} : { digest }) }
}

/** Returns the image that the charts will name, and whether the kubelet pulls it with secrets that only the cluster has. */
export function wishedImage({ JOINER_SHIM_IMAGE: text, JOINER_CHART_VALUES: more }: Environment): {
  readonly image: ImageName
  readonly hasSecrets: boolean
} {
  const own = jsonText(values).safeParse(more || '{}').data
  const { repository, tag, digest } = own?.image ?? {}
  const named: Partial<ImageName> = text ? parseImage(text) : {}
  const { repository: published, tag: version } = chartImage()
  return {
    image: {
      repository: repository || named.repository || published,
      tag: tag || named.tag || version,
      digest: digest || named.digest,
    },
    hasSecrets: (own?.imagePullSecrets.length ?? 0) > 0,
  }
}

/** Returns the name in one text, by digest if there is one. */
export function imageText({ repository, tag = 'latest', digest }: ImageName): string {
  return digest === undefined || digest === '' ? `${repository}:${tag}` : `${repository}@${digest}`
}
