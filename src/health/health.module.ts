import { Module } from '@nestjs/common';
import { Clock, Readiness } from './readiness.js';
import { HealthController } from './health.controller.js';
import { SecretsCheck } from './secrets-check.js';

@Module({ controllers: [HealthController], providers: [Readiness, Clock, SecretsCheck] })
export class HealthModule {}
