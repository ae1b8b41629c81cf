from accounts.management.person_command import PersonCommand


class Command(PersonCommand):
    help = "Add an admin."
    requires_system_checks = ()  # they take longer than the command
    password_variable = "IDS_ADMIN_PASSWORD"
    always_admin = True
