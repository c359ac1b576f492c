// QCustomPlot's header, which is written with the keywords of Qt that are switched off here.
#pragma once

#include <QObject>

#define signals Q_SIGNALS
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef foreach
