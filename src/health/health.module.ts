import { Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';
import { SecretsCheck } from './secrets-check.js';

@Module({ controllers: [HealthController], providers: [Readiness, Clock, SecretsCheck] })
export class HealthModule {}
