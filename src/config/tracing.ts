import { z } from 'zod';

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const address = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' });
const protocol = z.enum(['http/protobuf'], { error: 'must be http/protobuf; no other protocol is supported' });

const positive = z.coerce
  .number({ error: 'must be a whole number above 0' })
  .refine((value) => Number.isInteger(value) && value > 0, { error: 'must be a whole number above 0' });

/** OpenTelemetry's own variables, as far as the gateway reads them; its SDK reads the others. */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol.optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol.optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], { error: 'must be otlp or none' }).default('otlp'),
  OTEL_TRACES_SAMPLER: z.enum(samplers, { error: `must be one of ${samplers.join(', ')}` }).optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number({ error: 'must be a number from 0 to 1' }).min(0).max(1).optional(),
  OTEL_BSP_SCHEDULE_DELAY: positive.optional(),
  OTEL_BSP_EXPORT_TIMEOUT: positive.optional(),
  OTEL_BSP_MAX_QUEUE_SIZE: positive.optional(),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: positive.optional(),
  OTEL_SDK_DISABLED: z
    .string()
    .transform((text) => text.toLowerCase() === 'true')
    .default(false),
};

export type TracingSettings = {
  sampler: (typeof samplers)[number];
  /** The share of traces that `traceidratio` keeps. */
  ratio: number;
  /** How spans are gathered into requests to the collector; times in milliseconds. */
  batch: {
    scheduledDelayMillis?: number;
    exportTimeoutMillis?: number;
    maxQueueSize?: number;
    maxExportBatchSize?: number;
  };
};

type Variables = z.infer<z.ZodObject<typeof tracingVariables>>;

/** How traces are recorded; null if they are not, since no collector is named. */
export function tracingOf(variables: Variables): TracingSettings | null {
  const endpoint = variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? variables.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint || variables.OTEL_SDK_DISABLED || variables.OTEL_TRACES_EXPORTER === 'none') return null;
  return {
    sampler: variables.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on',
    ratio: variables.OTEL_TRACES_SAMPLER_ARG ?? 1,
    batch: {
      ...(variables.OTEL_BSP_SCHEDULE_DELAY && { scheduledDelayMillis: variables.OTEL_BSP_SCHEDULE_DELAY }),
      ...(variables.OTEL_BSP_EXPORT_TIMEOUT && { exportTimeoutMillis: variables.OTEL_BSP_EXPORT_TIMEOUT }),
      ...(variables.OTEL_BSP_MAX_QUEUE_SIZE && { maxQueueSize: variables.OTEL_BSP_MAX_QUEUE_SIZE }),
      ...(variables.OTEL_BSP_MAX_EXPORT_BATCH_SIZE && {
        maxExportBatchSize: variables.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
      }),
    },
  };
}
